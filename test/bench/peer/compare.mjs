/**
 * Whether both servers answer the same: every target is asked of both before any load. Only targets that both answer with
 * 200 are measured. The answers must be the same in every field, but for suggestions and nearest places, where both are
 * right in ways of their own: of these it is counted how many are the same.
 */
import { isDeepStrictEqual } from 'node:util';

/** What makes two answers the same, for the endpoints whose answers may differ; of suggestions also what is shown first. */
const OWN_WAYS = {
  autocomplete: { '': (data) => data.map(({ url }) => url).sort(), ', first ': (data) => data[0]?.url },
  reverse: { '': ({ place }) => place.id },
};

/**
 * The targets of an endpoint that both answer with 200, and the share of the answers that are the same, as text. Throws
 * where an answer differs that may not, or where no target is left.
 */
export async function compareAnswers({ name, targets, peerTargetOf = (target) => target }, ours, peer) {
  const ownWays = OWN_WAYS[name.split(',')[0]];
  const answered = [];
  const pairs = [];
  for (const target of targets) {
    const [own, other] = await Promise.all([ask(ours, target), ask(peer, peerTargetOf(target))]);
    if (own.statusCode !== 200 || other.statusCode !== 200) continue;
    answered.push(target);
    pairs.push([own.data, other.data]);
    if (ownWays === undefined && !isDeepStrictEqual(own.data, other.data)) {
      throw new Error(`the answers to ${target} differ:\n${JSON.stringify(own.data)}\n${JSON.stringify(other.data)}`);
    }
  }
  if (answered.length === 0) throw new Error(`no target of ${name} is answered by both`);
  const shares = Object.entries(ownWays ?? { '': (data) => data }).map(([title, keyOf]) => {
    const same = pairs.filter(([own, other]) => isDeepStrictEqual(keyOf(own), keyOf(other))).length;
    return `${title}${((100 * same) / pairs.length).toFixed(0)} %`;
  });
  return { targets: answered, same: shares.join('') };
}

/** The body of an answer, which in both servers has its status. */
async function ask({ port, key }, target) {
  const response = await fetch(`http://127.0.0.1:${port}${target}`, { headers: { 'x-api-key': key } });
  return response.json();
}
