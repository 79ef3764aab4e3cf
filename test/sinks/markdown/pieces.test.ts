import { expect, it } from 'vitest'
import type { RequestBlock } from '../../../src/core/state/block.ts'
import { createInitialConversationState, reduceSessionEvents } from '../../../src/entries/index.ts'
import { toMarkdown } from '../../../src/entries/markdown.ts'
import type { IncomingBlock } from '../../../src/entries/source-kit.ts'
import {
  recordings as opencodeRecordings,
  replay as replayOpencode,
} from '../../wires/opencode/recordings.ts'
import { allRecordings, replay } from '../../wires/recordings.ts'

function documentOf(...blocks: readonly IncomingBlock[]): string {
  const events = blocks.map((block) => ({ type: 'block:upsert', block }) as const)
  return toMarkdown(reduceSessionEvents(createInitialConversationState(), events))
}

function request(fields: Partial<RequestBlock>): IncomingBlock {
  return { type: 'request', id: 'r', status: 'complete', kind: 'permission', title: 'Bash: ls', ...fields }
}

const options = [
  { id: 'allow', label: 'Allow once', description: 'Runs it' },
  { id: 'deny', label: 'Refuse', description: '' },
]
const questions = [
  { text: 'Which colour?', options: [{ id: 'Teal', label: 'Teal' }] },
  { text: 'Which size?', options: [] },
]

it.each<[Partial<RequestBlock>, readonly string[]]>([
  [{ status: 'pending' }, ['**Permission:** Bash: ls → **waiting for you**']],
  [{}, ['→ no answer is known']],
  [{ answer: 'allow', options }, ['→ **Allow once**', '- Allow once: Runs it', '- Refuse\n']],
  [{ answer: 'always' }, ['→ **always**']],
  [
    { answer: 'deny', denied: true, options, comment: 'Not now' },
    ['→ **denied** (Refuse)', 'Comment: Not now'],
  ],
  [{ denied: true }, ['→ **denied**\n']],
  [
    { kind: 'question', title: 'Which colour?', questions, answer: [['Teal', 'Red']] },
    ['**Question:** Which colour? → answered', '- Which colour? **Teal, Red**\n  - Teal\n- Which size?\n'],
  ],
])('a request %j shows %j', (fields, texts) => {
  const document = documentOf(request(fields))
  for (const text of texts) expect(document).toContain(text)
})

const IMAGE = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw==' } }

it.each<[unknown, string]>([
  ['plain', 'plain'],
  [[{ type: 'text', text: 'in a part' }], 'in a part'],
  [['in a list'], 'in a list'],
  [[7], '7'],
  [{ exit: 0 }, '"exit": 0'],
  [[IMAGE], '*Image: image/png'],
  [[{ type: 'audio', data: 'iVBORw==', mimeType: 'audio/wav' }], '*Audio: audio/wav'],
  [[{ type: 'image', data: 'iVBORw==', mediaType: 'image/gif' }], '*Image: image/gif'],
  [[{ type: 'image', url: 'https://example.com/a.png' }], 'https://example.com/a.png'],
])('the output %j shows %s', (output, text) => {
  const call: IncomingBlock = {
    type: 'tool_use',
    id: 'c',
    status: 'complete',
    toolName: 'Look',
    toolUseId: 'c',
    input: {},
  }
  const result: IncomingBlock = {
    type: 'tool_result',
    id: 'c:result',
    status: 'complete',
    toolUseId: 'c',
    output,
    isError: false,
  }
  expect(documentOf(call, result)).toContain(text)
})

it.each([[[{ type: 'text', text: 'It failed.\nBadly.' }]], ['It failed.\nBadly.']])(
  'a failed call shows the first line: %j',
  (output) => {
    const call: IncomingBlock = {
      type: 'tool_use',
      id: 'c',
      status: 'error',
      toolName: 'Look',
      toolUseId: 'c',
      input: {},
    }
    const result: IncomingBlock = {
      type: 'tool_result',
      id: 'c:result',
      status: 'error',
      toolUseId: 'c',
      output,
      isError: true,
    }
    expect(documentOf(call, result)).toContain('<b>failed</b> It failed.')
  },
)

const states = [
  ...allRecordings.map(({ name, stream }) => [name, replay(stream).state] as const),
  ...opencodeRecordings.map(({ name, events }) => [name, replayOpencode(events).state] as const),
]

it.each(states)('%s: the document names every request, todo and changed file', (_, state) => {
  const document = toMarkdown(state)
  const plain = document.replaceAll('\\', '')
  for (const { text } of state.todos ?? []) expect(plain).toContain(text)
  for (const block of state.blocks) {
    if (block.type === 'request') expect(plain).toContain(block.title)
    if (block.type === 'tool_result')
      for (const { path } of block.changes ?? []) expect(plain).toContain(path)
  }
})

it('a call that the person refused is denied, and has not failed', () => {
  const call: IncomingBlock = {
    ...{ type: 'tool_use', id: 'c', status: 'error', toolName: 'Bash', toolUseId: 'c' },
    input: { command: 'ls' },
  }
  const document = documentOf(call, request({ toolUseId: 'c', denied: true }))
  expect(document).toContain('<code>ls</code> <b>denied</b>')
  expect(document).not.toContain('failed')
})

it('a call without a result is interrupted where the input ends', () => {
  const call: IncomingBlock = {
    ...{ type: 'tool_use', id: 'c', status: 'pending', toolName: 'Bash', toolUseId: 'c' },
    input: { command: 'ls' },
  }
  const state = reduceSessionEvents(createInitialConversationState(), [
    { type: 'session:running' },
    { type: 'block:upsert', block: call },
    { type: 'session:idle', outcome: 'interrupted', cut: true },
  ])
  expect(toMarkdown(state)).toContain('<code>ls</code> <b>interrupted</b>')
})
