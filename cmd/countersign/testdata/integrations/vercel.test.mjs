import assert from "node:assert";
import { test } from "node:test";
import { generateText, stepCountIs, tool } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { z } from "zod";
import { approve, decideNext, native, reject } from "./countersign.mjs";

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const model = (name) => new MockLanguageModelV3({
  doGenerate: async ({ prompt }) => prompt.some((message) => message.role === "tool")
    ? { content: [{ type: "text", text: "done" }], finishReason: { unified: "stop" }, usage, warnings: [] }
    : { content: [{ type: "tool-call", toolCallId: `call_${name}`, toolName: name, input: JSON.stringify({ quantity: 500 }) }], finishReason: { unified: "tool-calls" }, usage, warnings: [] },
});

async function run(name, choose) {
  const ran = [];
  const tools = { [name]: tool({ inputSchema: z.object({ quantity: z.number() }), needsApproval: true, execute: async (input) => { ran.push(input); return "ok"; } }) };
  const messages = [{ role: "user", content: "Buy" }];
  const options = { model: model(name), tools, stopWhen: stepCountIs(3) };
  let result = await generateText({ ...options, messages });
  const [answer, asked] = await Promise.all([native("vercel", result.content), decideNext(name, choose)]);
  assert.deepEqual(asked.review_configs[0].allowed_decisions, ["approve", "reject"]);
  messages.push(...result.response.messages, answer);
  result = await generateText({ ...options, messages });
  return { ran, result };
}

test("approved, it runs once", async () => {
  const { ran, result } = await run("trade_approved", approve);
  assert.deepEqual(ran, [{ quantity: 500 }]);
  assert.equal(result.text, "done");
});
test("rejected, nothing runs", async () => {
  assert.deepEqual((await run("trade_rejected", reject)).ran, []);
});
