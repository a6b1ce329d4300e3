import assert from "node:assert";
import { test } from "node:test";
import { Client as NewClient } from "@modelcontextprotocol/client";
import { StdioClientTransport as NewStdio } from "@modelcontextprotocol/client/stdio";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OldStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { approve, decideNext, edit, reject } from "./countersign.mjs";

const clients = { "first generation": [OldClient, OldStdio], "second generation": [NewClient, NewStdio] };
const info = { name: "integrations", version: "1" };
const command = process.env.COUNTERSIGN_BINARY;
const env = { ...process.env };

// gateway connects a client to a server behind the gateway.
async function gateway([Client, Transport]) {
  const client = new Client(info);
  await client.connect(new Transport({ command, args: ["mcp", "--", "npx", "mcp-server-everything"], env, stderr: "ignore" }));
  return client;
}

for (const [generation, kind] of Object.entries(clients)) {
  test(`${generation}: the gateway holds a call until it is approved`, async () => {
    const client = await gateway(kind);
    try {
      const { tools } = await client.listTools();
      assert.ok(tools.some((tool) => tool.name === "echo"));
      const call = (message) => client.callTool({ name: "echo", arguments: { message } });
      let [answer] = await Promise.all([call("as asked"), decideNext("echo", approve)]);
      assert.match(answer.content[0].text, /as asked/);
      [answer] = await Promise.all([call("as asked"), decideNext("echo", edit({ message: "as edited" }))]);
      assert.match(answer.content[0].text, /as edited/);
      [answer] = await Promise.all([call("never"), decideNext("echo", reject)]);
      assert.ok(answer.isError);
      assert.match(answer.content[0].text, /^Rejected by reviewer: Not today/);
    } finally { await client.close(); }
  });
}

const transports = {
  "first generation": () => import("@modelcontextprotocol/sdk/client/streamableHttp.js"),
  "second generation": () => import("@modelcontextprotocol/client"),
};
for (const [generation, [Client]] of Object.entries(clients)) {
  test(`${generation}: an agent asks by the tools of the server`, async () => {
    const { StreamableHTTPClientTransport } = await transports[generation]();
    const client = new Client(info);
    const headers = { Authorization: `Bearer ${process.env.COUNTERSIGN_KEY}` };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${process.env.COUNTERSIGN_URL}/mcp`), { requestInit: { headers } }));
    try {
      const { tools } = await client.listTools();
      assert.deepEqual(tools.map((tool) => tool.name).sort(), ["cancel_approval", "permission_prompt", "request_approval", "wait_for_outcome"]);
      const name = `pay_${generation.split(" ")[0]}`;
      const ask = () => client.callTool({ name: "request_approval", arguments: { reason: "An invoice", actions: [{ name, args: { amount: 100 } }] } });
      let [answer] = await Promise.all([ask(), decideNext(name, approve)]);
      assert.equal(answer.structuredContent.status, "approved");
      [answer] = await Promise.all([ask(), decideNext(name, reject)]);
      assert.equal(answer.structuredContent.status, "rejected");
      assert.ok(!answer.isError);
    } finally { await client.close(); }
  });
}
