import { describe, expect, it } from 'vitest'
import { footLines } from '../../../src/cli/show/head.ts'
import { createView } from '../../../src/cli/show/view.ts'
import { renderTree } from '../../../src/cli/tree-text.ts'
import { STATUS_WORDS } from '../../../src/core/selectors/status.ts'
import {
  createInitialConversationState,
  reduceSessionEvents,
  type SessionEvent,
  sessionStatus,
} from '../../../src/entries/index.ts'
import { toMarkdown } from '../../../src/sinks/markdown/to-markdown.ts'

const running: SessionEvent = { type: 'session:running' }
const agent: SessionEvent = {
  type: 'subagent:spawned',
  toolUseId: 'S',
  prompt: 'Look.',
  conversationId: 'main',
}
const request: SessionEvent = {
  type: 'block:upsert',
  block: { type: 'request', id: 'p', status: 'pending', kind: 'permission', title: 'Bash: ls' },
}
const ends = (outcome: 'finished' | 'interrupted' | 'failed'): SessionEvent => ({
  type: 'session:idle',
  outcome,
})

/** A session had `finished`, `success`, `done` and `agents running` for the same status in the tree, the view, Markdown and the page. */
describe('the words of a status', () => {
  it.each([
    ['idle', []],
    ['running', [running]],
    ['waiting', [running, request]],
    ['background', [running, agent, ends('finished')]],
    ['finished', [running, ends('finished')]],
    ['interrupted', [running, ends('interrupted')]],
    ['failed', [running, ends('failed')]],
  ] as const)('are the same in the tree, the view and Markdown: %s', (status, events) => {
    const state = reduceSessionEvents(createInitialConversationState(), events)
    expect(sessionStatus(state)).toBe(status)
    const word = STATUS_WORDS[status]
    const view = createView(
      { columns: 80, isStyled: false, isFull: false, redact: (text) => text },
      undefined,
    )
    expect(renderTree(state, false)[0]).toBe(word)
    // The line of main said that a stopped turn had failed.
    if (/interrupted|failed/.test(status)) expect(renderTree(state, false)[1]).toMatch(`${word} main`)
    expect(footLines(view, state, { width: 80, isCut: false })).toContain(word)
    expect(toMarkdown(state)).toContain(`- **Status:** ${word}\n`)
  })

  it.each(['running', 'success', 'error'] as const)('are the same for an agent: %s', (status) => {
    const ended: SessionEvent[] =
      status === 'running'
        ? []
        : [
            {
              type: 'subagent:completed',
              toolUseId: 'S',
              status: status === 'error' ? status : 'completed',
            },
          ]
    const state = reduceSessionEvents(createInitialConversationState(), [running, agent, ...ended])
    expect(state.subagents[0]?.status).toBe(status)
    expect(renderTree(state, false).join('\n')).toContain(`└─ ${STATUS_WORDS[status]} S`)
    expect(toMarkdown(state)).toContain(`<b>Agent</b> (${STATUS_WORDS[status]})`)
    expect(toMarkdown(state, { conversationId: 'S' })).toContain(`- **Status:** ${STATUS_WORDS[status]}\n`)
  })
})
