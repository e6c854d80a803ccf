/** Reads the answers of a connection and judges each: whole, never a 5xx but a 503, and as its server must answer. */

const HEAD_END = '\r\n\r\n';
/** Answers without a body: the last of a redirect. */
const EMPTY = [204, 304, 308];

/**
 * A judge of one connection. `asked` is a list to which requests (see api-requests.mjs) are added as they are sent. `check`
 * throws where an answer is not as its server must answer, `count` is told of each status and `fail` of everything that
 * should not be.
 */
export function createJudge(asked, check, count, fail) {
  let text = '';

  /** The next whole answer at the start of `text`, or undefined where it is not all there. */
  function takeAnswer() {
    const headEnd = text.indexOf(HEAD_END);
    if (headEnd < 0) return undefined;
    const head = text.slice(0, headEnd);
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]);
    const length =
      EMPTY.includes(status) || asked[0]?.isHead ? 0 : Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1]);
    if (Number.isNaN(status + length)) throw new Error(`not an answer: ${JSON.stringify(text.slice(0, 300))}`);
    const end = headEnd + HEAD_END.length + length;
    if (text.length < end) return undefined;
    const body = text.slice(headEnd + HEAD_END.length, end);
    text = text.slice(end);
    return { status, head, body };
  }

  function judge({ status, head, body }) {
    const request = asked.shift();
    count(status);
    if (status >= 500 && status !== 503)
      throw new Error(`a ${status} to ${JSON.stringify(request?.text.slice(0, 300))}`);
    if (body === '' && !request?.isHead && !EMPTY.includes(status)) throw new Error(`no body: ${head}`);
    check({ status, head, body });
  }

  return {
    /** Takes what has arrived; true while all of it was right. */
    take(chunk) {
      text += chunk.toString('latin1');
      try {
        for (let answer = takeAnswer(); answer !== undefined; answer = takeAnswer()) judge(answer);
        return true;
      } catch (error) {
        fail(error.message);
        return false;
      }
    },
  };
}
