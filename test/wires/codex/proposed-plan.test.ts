import { expect, it } from 'vitest'
import { sessionStatus } from '../../../src/entries/index.ts'
import { codexSource } from '../../../src/wires/codex/source.ts'
import { type Fields, head, line, started, turnId } from './made-lines.ts'

// A plan that the person has not accepted was no text of a file: the model's history has it between two tags, and the
// turn counts it as no text.

const PLAN = '# Plan\n\n1. Dig.\n'
const at = (second: number) => `2026-03-01T10:00:0${second}.000Z`
const lineOf = (type: string, payload: Fields, second = 1) => line(type, payload, at(second))
const entry = (role: string, text: string, second: number) =>
  lineOf('response_item', { type: 'message', role, content: [{ type: 'output_text', text }] }, second)
const item = (fields: Fields, second: number) =>
  lineOf('event_msg', { type: 'item_completed', turn_id: turnId, item: fields }, second)
const end = (text: string | null) =>
  lineOf('event_msg', { type: 'task_complete', turn_id: turnId, last_agent_message: text }, 9)

const prompt = [entry('user', 'Go.', 2), lineOf('event_msg', { type: 'user_message', message: 'Go.' }, 2)]
const promptItem = [
  entry('user', 'Go.', 2),
  item({ type: 'UserMessage', id: 'p', content: [{ type: 'text', text: 'Go.' }] }, 2),
]
const tagged = entry('assistant', `<proposed_plan>\n${PLAN}</proposed_plan>`, 4)
const planItem = item({ type: 'Plan', id: 'u-plan', text: PLAN }, 5)
const said = lineOf('event_msg', { type: 'agent_message', message: 'Here.\n' }, 3)
const taggedBehind = entry('assistant', `Here.\n<proposed_plan>\n${PLAN}</proposed_plan>`, 4)

it.each<[string, readonly Fields[], readonly string[]]>([
  ['the history alone', [...prompt, tagged], [PLAN]],
  ['the history of a thread with items', [...promptItem, tagged], [PLAN]],
  ['the history and an item', [...prompt, tagged, planItem], [PLAN]],
  ['an item before the history', [...prompt, planItem, tagged], [PLAN]],
  ['an item behind a text', [...prompt, said, planItem, taggedBehind], ['Here.\n', PLAN]],
])('shows the text of a plan that waits for approval, from %s', (_, lines, texts) => {
  for (const last of [[], [end(null)]]) {
    const { session } = codexSource.read(codexSource.open(), [head, started, ...lines, ...last])
    const { state } = codexSource.end(session).session
    expect(state.blocks.flatMap((block) => (block.type === 'assistant_text' ? [block.content] : []))).toEqual(
      texts,
    )
    if (last.length > 0) expect(sessionStatus(state)).toBe('finished')
  }
})

it('shows a plan once if its item comes after the end of the input', () => {
  const first = codexSource.end(
    codexSource.read(codexSource.open(), [head, started, ...prompt, tagged]).session,
  )
  const { blocks } = codexSource.read(first.session, [planItem, end(null)]).session.state
  expect(blocks.map(({ type, id }) => [type, id]).slice(1)).toEqual([['assistant_text', 'u-plan']])
})
