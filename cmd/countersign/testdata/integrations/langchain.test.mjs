import assert from "node:assert";
import { test } from "node:test";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage } from "@langchain/core/messages";
import { Command, MemorySaver } from "@langchain/langgraph";
import { createAgent, humanInTheLoopMiddleware, tool } from "langchain";
import { z } from "zod";
import { approve, decideNext, edit, native, reject } from "./countersign.mjs";

// A model that calls the tool once and is done then.
class Model extends BaseChatModel {
  constructor(name) { super({}); this.name = name; }
  _llmType() { return "fixed"; }
  bindTools() { return this; }
  async _generate(messages) {
    const called = messages.some((message) => message.getType() === "tool");
    const message = called ? new AIMessage("done") : new AIMessage({ content: "", tool_calls: [{ id: "call_1", name: this.name, args: { symbol: "ACME", quantity: 500 } }] });
    return { generations: [{ message, text: "" }] };
  }
}

async function run(name, choose) {
  const ran = [];
  const trade = tool((args) => { ran.push(args); return "ok"; }, { name, description: "Buys", schema: z.object({ symbol: z.string(), quantity: z.number() }) });
  const agent = createAgent({
    model: new Model(name), tools: [trade], checkpointer: new MemorySaver(),
    middleware: [humanInTheLoopMiddleware({ interruptOn: { [name]: { allowedDecisions: ["approve", "edit", "reject"] } } })],
  });
  const config = { configurable: { thread_id: name } };
  let result = await agent.invoke({ messages: [{ role: "user", content: "Buy" }] }, config);
  assert.ok(result.__interrupt__, "it does not ask");
  while (result.__interrupt__) {
    const [resume] = await Promise.all([native("langchain", result.__interrupt__), decideNext(name, choose)]);
    result = await agent.invoke(new Command({ resume }), config);
  }
  return { ran, messages: result.messages };
}

test("approved, it runs once", async () => {
  assert.deepEqual((await run("trade_approved", approve)).ran, [{ symbol: "ACME", quantity: 500 }]);
});
test("edited, the edited arguments run", async () => {
  assert.deepEqual((await run("trade_edited", edit({ symbol: "ACME", quantity: 50 }))).ran, [{ symbol: "ACME", quantity: 50 }]);
});
test("rejected, nothing runs and the model hears why", async () => {
  const { ran, messages } = await run("trade_rejected", reject);
  assert.deepEqual(ran, []);
  assert.ok(messages.some((message) => String(message.content).includes("Rejected by reviewer: Not today")));
});
