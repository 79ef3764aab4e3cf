import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parseTranscript, type SessionConversationState } from '../../../../src/entries/index.ts'
import { depth, sampleOf } from '../../../depth.ts'

const FIXTURES = join(import.meta.dirname, '../../../../fixtures')
const BROKEN = '{bad'

const FILES = readdirSync(FIXTURES, { recursive: true, encoding: 'utf8' })
  .filter((path) => /^(?:claude-code|interactive\/claude-code-tui)\/.*\/[\da-f-]{36}\.jsonl$/.test(path))
  .filter((path) => !path.includes('stored-at'))
  .map((path) => ({ path, lines: readFileSync(join(FIXTURES, path), 'utf8').split('\n').filter(Boolean) }))
  .filter(({ lines }) => lines.length < 300)

const read = (lines: readonly string[]) => parseTranscript('claude-sdk', lines.join('\n'))

function textsIn({ blocks }: SessionConversationState): readonly string[] {
  return blocks.flatMap((block) =>
    block.type === 'user_message' || block.type === 'assistant_text'
      ? [`${block.type}: ${JSON.stringify(block.content)}`]
      : [],
  )
}

/** Returns the words of a prompt on the line, if the session has no other such prompt. */
function promptOn(line: string, lines: readonly string[]): string | undefined {
  const words = /"role":"user","content":("[^<"\\/][^"\\]*")/.exec(line)?.[1]
  if (words === undefined || line.includes('"isMeta":true')) return undefined
  return lines.filter((each) => each.includes(`"role":"user","content":${words}`)).length === 1
    ? words
    : undefined
}

/** The places of prompts that a line of the program repeats before the answer. */
function placesIn(lines: readonly string[]): readonly number[] {
  return [...lines.keys()].filter((at) => {
    const words = promptOn(lines[at] ?? '', lines)
    const after = lines.slice(at + 1)
    const answer = after.findIndex((line) => line.includes('"type":"assistant"'))
    return after
      .slice(0, answer < 0 ? after.length : answer)
      .some((line) => /"type":"(?:last-prompt|api-request-blob)"/.test(line) && words && line.includes(words))
  })
}

// The prompt stood in lines that only the program reads, and was lost.
it('has each prompt whose line is broken, and that the program repeats before the answer', () => {
  let count = 0
  for (const { path, lines } of FILES) {
    const state = read(lines)
    // Only the line of a prompt says that it begins another branch.
    if (state.branches) continue
    const whole = textsIn(state)
    for (const at of placesIn(lines)) {
      if (!whole.includes(`user_message: ${promptOn(lines[at] ?? '', lines)}`)) continue
      count += 1
      expect({ path, at, texts: textsIn(read(lines.with(at, BROKEN))) }).toEqual({ path, at, texts: whole })
    }
  }
  expect(count).toBeGreaterThan(30)
})

it('has no prompt twice if a line that is none is broken', () => {
  for (const { path, lines } of FILES.filter((_, at) => at % 3 === 0)) {
    const whole = textsIn(read(lines))
    for (const at of sampleOf([...lines.keys()], depth({ few: 3, all: 200 }))) {
      const texts = textsIn(read(lines.toSpliced(at, 0, BROKEN)))
      expect({ path, at, texts }).toEqual({ path, at, texts: whole })
    }
  }
})

const line = (fields: object) => JSON.stringify({ sessionId: 's', version: '2.1.332', ...fields })
const assistant = line({
  ...{ type: 'assistant', uuid: 'a', timestamp: '2026-01-01T00:00:02.000Z' },
  message: {
    id: 'm',
    role: 'assistant',
    content: [{ type: 'text', text: 'Answer.' }],
    stop_reason: 'end_turn',
  },
})
const lastPrompt = (text: string) => line({ type: 'last-prompt', lastPrompt: text, leafUuid: 'x' })
const blob = (...texts: readonly string[]) => {
  const content = texts.map((text) => ({ type: 'text', text }))
  return line({ type: 'api-request-blob', hash: 'h', message: { role: 'user', content } })
}
const result = line({
  ...{ type: 'api-request-blob', hash: 'r' },
  message: {
    role: 'user',
    content: [
      { type: 'text', text: 'x' },
      { type: 'tool_result', tool_use_id: 't', content: 'x' },
    ],
  },
})
const long = `Go ${'on '.repeat(99)}`
const ofAgent = 'Another Claude session sent a message: <teammate-message a="b">x'

it.each([
  ['the last prompt', [BROKEN, lastPrompt('Go.'), assistant], ['Go.', 'Answer.']],
  ['a message', [BROKEN, blob('<system-reminder>x</system-reminder>', 'Go.'), assistant], ['Go.', 'Answer.']],
  ['both', [BROKEN, blob('Go\non.'), lastPrompt('Go on.'), assistant], ['Go\non.', 'Answer.']],
  ['a long one, which is cut', [BROKEN, blob(long), BROKEN, lastPrompt(`${long.slice(0, 200)}…`)], [long]],
  ['none after the answer', [BROKEN, assistant, lastPrompt('Go.')], ['Answer.']],
  ['none without a broken line', [lastPrompt('Go.'), blob('Go.'), assistant], ['Answer.']],
  ['no result', [BROKEN, result, assistant], ['Answer.']],
  [
    'no words of the program',
    [BROKEN, blob('<a>x</a>'), blob('[Image: source: a.png]'), assistant],
    ['Answer.'],
  ],
  ['no message of an agent', [BROKEN, lastPrompt(ofAgent), assistant], ['Answer.']],
])('takes a lost prompt from the lines of the program: %s', (_, lines, texts) => {
  expect(read(lines).blocks.map((block) => 'content' in block && block.content)).toEqual(texts)
})
