// What the tests of every package need: an agent that asks, and somebody who decides.

const url = process.env.COUNTERSIGN_URL;
const call = async (key, method, path, body) => {
  const answer = await fetch(url + path, {
    method,
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  return { status: answer.status, headers: answer.headers, body: await answer.json() };
};

// native asks in the form of a framework until it is decided.
export async function native(format, body, query = "") {
  for (;;) {
    const answer = await call(process.env.COUNTERSIGN_KEY, "POST", `/api/v1/native/${format}?wait=30${query}`, body);
    if (answer.status === 200) return answer.body;
    if (answer.status !== 202) throw new Error(JSON.stringify(answer.body));
  }
}

// decideNext decides the next request about a tool. choose gives a decision for each of
// its actions.
export async function decideNext(tool, choose) {
  const key = process.env.DECIDER_KEY;
  for (;;) {
    const { body } = await call(key, "GET", "/api/v1/confirms?status=pending");
    const found = body.items.find((confirm) => confirm.actions?.some((action) => action.name === tool));
    if (!found) continue;
    const confirm = await call(key, "GET", `/api/v1/confirms/${found.confirm_id}`);
    const decided = await call(key, "POST", `/api/v1/confirms/${found.confirm_id}/decisions`, {
      content_hash: confirm.headers.get("ETag").slice(1, -1),
      decisions: found.actions.map(choose),
    });
    if (decided.status !== 201) throw new Error(JSON.stringify(decided.body));
    return found;
  }
}

export const approve = () => ({ type: "approve" });
export const reject = () => ({ type: "reject", message: "Not today" });
export const edit = (args) => (action) => ({ type: "edit", edited_action: { name: action.name, args } });
