// Checks messages with the official packages: `node check.mjs NODE_MODULES < messages`.
// It prints what they judge otherwise than expected.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const require = createRequire(process.argv[2] + "/");
const { Webhook } = require("standardwebhooks");
const { AdaptiveCard, SerializationContext, Versions } = require("adaptivecards/dist/adaptivecards.js");

/** Returns why a webhook is refused, or "". */
function refusal({ key, headers, body }) {
  try {
    new Webhook(key).verify(body, headers);
    return "";
  } catch (error) {
    return error.message;
  }
}

/** Returns what is wrong with a card, or "". */
function mistakes(content) {
  const context = new SerializationContext(Versions.v1_4);
  const card = new AdaptiveCard();
  card.parse(content, context);
  const events = Array.from({ length: context.eventCount }, (_, i) => context.getEventAt(i));
  return [...events, ...card.validateProperties().validationEvents].map((event) => event.message).join("; ");
}

const { webhooks, cards } = JSON.parse(readFileSync(0, "utf8"));
for (const webhook of webhooks) {
  const found = refusal(webhook);
  if ((found === "") !== webhook.isGood) console.log(`webhook, ${webhook.name}: ${found || "accepted"}`);
}
for (const card of cards) {
  const found = mistakes(card.content);
  if ((found === "") !== card.isGood) console.log(`card, ${card.name}: ${found || "accepted"}`);
}
console.log(`checked ${webhooks.length} webhooks and ${cards.length} cards`);
