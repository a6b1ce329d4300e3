// Follows a session with nothing but what Node has: over server-sent events by
// fetch, or over a socket by a small client of RFC 6455. It breaks its
// connection again and again and resumes after the last frame it has seen. Over
// the socket it approves what it hears of.
//
//   node follow.mjs sse|ws <base URL> <key> <session> <frames> <breaks after>
//
// It prints "connected" once, then each frame as a line {"id", "frame"}.

import { createHash, randomBytes } from "node:crypto";
import { connect } from "node:net";

const [transport, base, key, session, frames, breaks] = process.argv.slice(2);
const address = new URL(`${base}/api/v1/sessions/${session}/${transport === "ws" ? "ws" : "events"}`);

let last = ""; // id of the last frame seen
let seen = 0;
let connected = false;
const undecided = new Set(); // approval keys that no result has been heard of

function open() {
  if (!connected) console.log("connected");
  connected = true;
}

// hear takes a frame and says whether the connection is to break now.
function hear(id, frame) {
  last = id;
  seen++;
  console.log(JSON.stringify({ id, frame }));
  const block = frame.content_block;
  if (block?.type === "approval_request") undecided.add(block.approval_key);
  if (block?.type === "approval_result") undecided.delete(block.approval_key);
  return seen % breaks === 0 || seen >= frames;
}

async function followEvents() {
  const connection = new AbortController();
  const headers = { Authorization: `Bearer ${key}` };
  if (last) headers["Last-Event-ID"] = last;
  const answer = await fetch(address, { headers, signal: connection.signal });
  if (!answer.ok) throw new Error(await answer.text());
  open();
  let text = "";
  try {
    for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      for (let end; (end = text.indexOf("\n\n")) >= 0; text = text.slice(end + 2)) {
        const event = Object.fromEntries(text.slice(0, end).split("\n").map((line) => line.split(/: (.*)/s, 2)));
        if (event.data && hear(event.id, JSON.parse(event.data))) return;
      }
    }
  } finally {
    connection.abort();
  }
}

// message writes a frame of RFC 6455, masked as a client's must be.
function message(opcode, payload) {
  const mask = randomBytes(4);
  const size = payload.length < 126 ? [0x80 | payload.length] : [0x80 | 126, payload.length >> 8, payload.length & 0xff];
  return Buffer.concat([Buffer.from([0x80 | opcode, ...size]), mask, payload.map((byte, i) => byte ^ mask[i % 4])]);
}

// unpack takes the first frame of RFC 6455 off what was received, if it is all
// there.
function unpack(data) {
  if (data.length < 2) return;
  let length = data[1] & 0x7f;
  let start = 2;
  if (length === 126) [length, start] = data.length < 4 ? [Infinity, 4] : [data.readUInt16BE(2), 4];
  else if (length === 127) [length, start] = data.length < 10 ? [Infinity, 10] : [Number(data.readBigUInt64BE(2)), 10];
  if (data.length < start + length) return;
  return { opcode: data[0] & 0x0f, payload: data.subarray(start, start + length), rest: data.subarray(start + length) };
}

function followSocket() {
  const nonce = randomBytes(16).toString("base64");
  const accept = createHash("sha1").update(nonce + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest("base64");
  const socket = connect(address.port, address.hostname);
  socket.write(
    `GET ${address.pathname}${last ? `?last_event_id=${last}` : ""} HTTP/1.1\r\nHost: ${address.host}\r\n` +
      `Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${nonce}\r\n` +
      `Sec-WebSocket-Protocol: countersign.v1, bearer.${key}\r\n\r\n`,
  );
  const approve = (approval) =>
    socket.write(
      message(1, Buffer.from(JSON.stringify({ type: "approval", session_id: session, approval_key: approval, decisions: [{ type: "approve" }] }))),
    );
  return new Promise((resolve, reject) => {
    let data = Buffer.alloc(0);
    let upgraded = false;
    socket.on("error", reject);
    socket.on("close", resolve);
    socket.on("data", (chunk) => {
      data = Buffer.concat([data, chunk]);
      if (!upgraded) {
        const end = data.indexOf("\r\n\r\n");
        if (end < 0) return;
        const head = data.subarray(0, end).toString();
        if (!head.startsWith("HTTP/1.1 101") || !head.includes(accept)) return reject(new Error(head));
        data = data.subarray(end + 4);
        upgraded = true;
        open();
        undecided.forEach(approve); // what was said before the break may be lost
      }
      for (let packet; (packet = unpack(data)); ) {
        data = packet.rest;
        if (packet.opcode === 9) socket.write(message(10, packet.payload));
        if (packet.opcode !== 1) continue;
        const { id, ...frame } = JSON.parse(packet.payload.toString());
        if (frame.type === "error") {
          if (frame.error.type !== "/problems/already-decided") reject(new Error(JSON.stringify(frame)));
          continue;
        }
        const over = hear(id, frame);
        if (frame.content_block?.type === "approval_request") approve(frame.content_block.approval_key);
        if (over) return socket.destroy();
      }
    });
  });
}

while (seen < frames) await (transport === "ws" ? followSocket() : followEvents());
process.exit(0);
