import { describe, expect, it } from 'vitest'
import {
  type ConversationBlock,
  createInitialConversationState,
  type SessionConversationState,
} from '../../../src/entries/index.ts'
import { redactAll, toMarkdown } from '../../../src/entries/markdown.ts'
import { recording, replay } from '../../wires/recordings.ts'
import { pageOf, textsOf } from './page.ts'

const base = { id: 'b', conversationId: 'main', status: 'complete' } as const
const call = {
  ...base,
  id: 't',
  type: 'tool_use',
  toolUseId: 't',
  toolName: 'Bash',
  input: { command: 'ls' },
} as const
const result = {
  ...base,
  id: 't:result',
  type: 'tool_result',
  toolUseId: 't',
  output: 'a',
  isError: false,
} as const

function stateOf(...blocks: readonly ConversationBlock[]): SessionConversationState {
  return { ...createInitialConversationState(), blocks }
}

const markdownOf = (...blocks: readonly ConversationBlock[]) => toMarkdown(stateOf(...blocks))

describe('toMarkdown', () => {
  it('nests agents at their calls', () => {
    const { state } = replay(recording('06-nested-forward').disk)
    const page = pageOf(toMarkdown(state))
    expect(textsOf(page, 'body > details > details > summary > b')).toEqual(['Agent general-purpose', 'Bash'])
    expect(textsOf(page, 'details details details > summary')).toEqual(['Bash cat README.md'])
    expect(textsOf(page, 'h1, h2')).toEqual(Array(2).fill('Check the docs through a coordinator.'))
  })

  it('shows one agent alone', () => {
    const { state } = replay(recording('06-nested-forward').disk)
    const inner = state.subagents.find(({ description }) => description === 'Read README')
    const text = toMarkdown(state, { conversationId: inner?.toolUseId ?? '' })
    expect(text).toMatch(/^# Read README\n/)
    expect(text).not.toContain('OUTER-REPORT')
    expect(text).toContain('INNER-REPORT')
  })

  it('throws for an unknown conversation and for a wrong number of lines', () => {
    expect(() => toMarkdown(stateOf(), { conversationId: 'x' })).toThrow(RangeError)
    for (const toolOutputLines of [-1, 0.5, Number.NaN])
      expect(() => toMarkdown(stateOf(), { toolOutputLines })).toThrow(RangeError)
  })

  it('does not repeat a short prompt below its heading', () => {
    const text = markdownOf({ ...base, type: 'user_message', content: 'Fix it.' })
    expect(text.split('\n').filter((line) => line === 'Fix it.')).toEqual([])
    expect(text).toContain('## Fix it.\n')
  })

  it('leaves out no less than the note takes', () => {
    const markdownWith = (output: string, toolOutputLines?: number) =>
      toMarkdown(
        stateOf(call, { ...result, output }),
        toolOutputLines === undefined ? {} : { toolOutputLines },
      )
    for (const more of [1, 20, 27])
      expect(markdownWith('x'.repeat(2_000 + more))).toContain('x'.repeat(2_000 + more))
    expect(markdownWith('x'.repeat(2_100))).toContain(`${'x'.repeat(2_000)} … 100 characters left out …`)
    expect(markdownWith('one', 0)).toContain('… 1 line left out …')
    expect(markdownWith('one\ntwo\nthree\nfour', 3)).toContain('one\ntwo\nthree\nfour\n')
  })

  it('shortens an output and says how much is left out', () => {
    const output = Array.from({ length: 30 }, (_, at) => `line ${at}`).join('\n')
    const text = toMarkdown(stateOf(call, { ...result, output }), { toolOutputLines: 6 })
    expect(text).toContain('line 3\n… 24 lines left out …\nline 28\nline 29\n')
    expect(toMarkdown(stateOf(call, { ...result, output }), { toolOutputLines: 0 })).toContain(
      '… 30 lines left out …',
    )
  })

  it('redacts before it shortens', () => {
    const output = `-----BEGIN PRIVATE KEY-----\n${'abcd\n'.repeat(30)}-----END PRIVATE KEY-----`
    const text = toMarkdown(stateOf(call, { ...result, output }), { redact: redactAll, toolOutputLines: 3 })
    expect(text).not.toContain('abcd')
  })

  it('redacts a field that its name makes a secret', () => {
    const text = toMarkdown(
      stateOf({ ...call, input: { command: 'x', password: 'hunter2', env: { token: 'abcdef' } } }),
      {
        redact: redactAll,
      },
    )
    expect(text).not.toMatch(/hunter2|abcdef/)
  })

  it('holds outputs in fences that they cannot end', () => {
    const page = pageOf(markdownOf(call, { ...result, output: '````\n</details>\n<b>x</b>\n`````' }))
    expect(textsOf(page, 'details > pre')).toEqual(['````\n</details>\n<b>x</b>\n`````'])
  })

  it('shows a failed call in its summary', () => {
    const failed = { ...result, isError: true, status: 'error', output: 'No such file\nat x' } as const
    const page = pageOf(markdownOf({ ...call, status: 'error' }, failed))
    expect(textsOf(page, 'summary')).toEqual(['Bash ls failed No such file'])
  })

  it('shows the input of a call that still streams', () => {
    const text = markdownOf({ ...call, status: 'pending', input: {}, inputText: '{"command": "npm te' })
    expect(text).toContain('<code>npm te</code> … input streams')
  })

  it('shows a change as a diff', () => {
    const hunks = [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ['-a', '+b'] }]
    const changes = [{ path: '/x/a.ts', kind: 'edit', added: 1, removed: 1, hunks }] as const
    const text = markdownOf(call, { ...result, changes })
    expect(text).toContain('```diff\n@@ -1,1 +1,1 @@\n-a\n+b\n```')
    expect(text).toContain('<summary><b>1 changed file</b></summary>\n\n- `/x/a.ts` +1 −1')
  })

  it('shows a request with its answer', () => {
    const options = [{ id: 'yes', label: 'Allow' }]
    const text = markdownOf({
      ...base,
      type: 'request',
      kind: 'permission',
      title: 'Run rm',
      options,
      answer: 'yes',
    })
    expect(text).toContain('> **Permission:** Run rm → **Allow**')
  })

  it('names images and does not embed them', () => {
    const source = { type: 'base64', mediaType: 'image/png', data: 'QUJDRA==' } as const
    const text = markdownOf(
      {
        ...base,
        type: 'user_message',
        content: [
          { type: 'text', text: 'See' },
          { type: 'image', source },
        ],
      },
      call,
      { ...result, output: [{ type: 'image', source: { media_type: 'image/png', data: 'QUJDRA==' } }] },
    )
    expect(text).not.toContain('QUJDRA')
    expect(text.match(/image\/png/g)).toHaveLength(2)
  })

  it('shows the plan as tasks, and an abandoned branch at its mark', () => {
    const system = { ...base, id: 'r', type: 'system', subtype: 'rewind', message: '' } as const
    const branch = { id: 'r', blocks: [{ ...base, type: 'assistant_text', content: 'Old' }] } as const
    const todos = [
      { text: 'Look', status: 'completed' },
      { text: 'Go', status: 'in_progress' },
    ] as const
    const text = toMarkdown({ ...stateOf(system), branches: [branch], todos })
    expect(text).toContain('- [x] Look\n- [ ] Go *(in progress)*')
    expect(text).toMatch(
      /\*rewind\*\n\n<details>\n<summary><b>Abandoned branch<\/b> \(1 block\)<\/summary>\n\nOld\n\n<\/details>/,
    )
  })

  it('runs no HTML of a title, a task, a request or an error', () => {
    const hostile = 'https://a<x-live> <x-live> \\<x-live> `<x-live>` ![i](j)'
    const request = { ...base, type: 'request', kind: 'question', title: hostile } as const
    const state = stateOf(
      { ...base, type: 'user_message', content: hostile },
      { ...base, type: 'error', message: hostile },
      { ...base, type: 'system', subtype: hostile, message: hostile },
      { ...request, options: [{ id: 'o', label: hostile }] },
    )
    for (const details of [true, false]) {
      const page = pageOf(
        toMarkdown({ ...state, todos: [{ text: hostile, status: 'pending' }] }, { details }),
      )
      expect(page.querySelectorAll('x-live, img')).toHaveLength(0)
      expect(page.querySelectorAll('h1, h2, li, blockquote').length).toBeGreaterThan(5)
    }
  })

  it('needs no HTML', () => {
    const { state } = replay(recording('06-nested-forward').disk)
    const text = toMarkdown(state, { details: false })
    expect(text).not.toMatch(/<\/?(details|summary|b|code)>/)
    expect(text).toContain('**End of agent general-purpose**')
  })
})
