/** A call in several languages, of which one is shown at a time, also without a script. */
import type { CallExample } from '../docs/call-examples.js';
import { type Content, html } from './html.js';

/** One example is open: those of one group close each other. */
export function codeTabs(group: string, examples: readonly CallExample[]): Content {
  return (
    examples.length > 0 &&
    html`<div class="examples">${examples.map(
      ({ language, code }, index) => html`<details class="example" name="${group}"${index === 0 && html` open`}>
<summary>${language}</summary>
<pre tabindex="0"><code class="copy">${code}</code></pre>
</details>
`,
    )}</div>`
  );
}
