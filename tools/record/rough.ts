import type { ScriptedCall } from './script.ts'
import { command } from './steps.ts'

/** What real texts have, and plain ones lack. */
const WORDS = [
  ' Naïve café, 日本語 and 👋🏽.',
  ' <b>&amp;</b> "quoted" \\n \\ $HOME `code` %s {"a":1}',
  '\n\n```ts\nconst a = "b"\n```\n\n- one\n- two\n\n| a | b |\n|---|---|',
]

/** Words of a model with characters that no person types. */
const ODD_WORDS = [
  ' \u001b[31mred\u001b[0m\u0007 bell',
  ' \u202Eright to left\u202C, no\u00A0break, zero\u200Bwidth, 👨‍👩‍👧.',
  ' tab\tand\r\nreturn',
]

/** Returns the text with further words, which `chance` from 0 to 1 chooses. */
export function withRoughWords(text: string, of: 'person' | 'model', chance: number): string {
  const all = of === 'person' ? WORDS : [...WORDS, ...ODD_WORDS]
  return text + (all[Math.floor(chance * all.length)] ?? '')
}

/** Returns a call whose result is seldom seen, which `chance` from 0 to 1 chooses. */
export function roughCall(word: string, chance: number): ScriptedCall {
  const calls: readonly ScriptedCall[] = [
    command(`echo ${word}; seq 1 30000`, word),
    command(`true ${word}`, ''),
    command(`printf '${word} \\033[31mred\\033[0m\\r\\n\\001 日本語 👋🏽\\n'`, word),
    command(`echo ${word} >&2`, word),
    { does: 'mistake', kind: 'unknown-tool' },
    { does: 'mistake', kind: 'empty-input' },
  ]
  return calls[Math.floor(chance * calls.length)] ?? command(`echo ${word}`, word)
}
