import assert from "node:assert";
import { test } from "node:test";
import { Agent, Runner, setTracingDisabled, tool, Usage } from "@openai/agents";
import { z } from "zod";
import { approve, decideNext, native, reject } from "./countersign.mjs";

setTracingDisabled(true);
const model = (name) => ({
  async getResponse({ input }) {
    const called = Array.isArray(input) && input.some((item) => item.type === "function_call_result");
    return {
      usage: new Usage(),
      output: called
        ? [{ type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: "done" }] }]
        : [{ type: "function_call", callId: `call_${name}`, name, status: "completed", arguments: '{"quantity":500}' }],
    };
  },
});

async function run(name, choose) {
  const ran = [];
  const agent = new Agent({
    name: "Trader", model: model(name),
    tools: [tool({ name, description: "Buys", parameters: z.object({ quantity: z.number() }), needsApproval: true, execute: async (input) => { ran.push(input); return "ok"; } })],
  });
  const runner = new Runner();
  let result = await runner.run(agent, "Buy");
  while (result.interruptions?.length) {
    const items = result.interruptions;
    const [decisions] = await Promise.all([native("openai", items), decideNext(name, choose)]);
    for (const d of decisions) {
      const item = items.find(({ rawItem }) => rawItem.callId === d.callId);
      if (d.approve) result.state.approve(item); else result.state.reject(item, { message: d.message });
    }
    result = await runner.run(agent, result.state);
  }
  return { ran, result };
}

test("approved, it runs once", async () => {
  const { ran, result } = await run("trade_approved", approve);
  assert.deepEqual(ran, [{ quantity: 500 }]);
  assert.equal(result.finalOutput, "done");
});
test("rejected, nothing runs", async () => {
  assert.deepEqual((await run("trade_rejected", reject)).ran, []);
});
