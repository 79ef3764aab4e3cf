import { describe, expect, it } from 'vitest'
import {
  type ConversationBlock,
  createInitialConversationState,
  type SessionConversationState,
} from '../../src/entries/index.ts'
import { notesOf } from '../../src/reading/notes/notes.ts'
import { NOTES as ACP } from '../../src/wires/acp/notes.ts'
import { acpSource } from '../../src/wires/acp/source.ts'
import { agUiSource } from '../../src/wires/ag-ui/source.ts'
import { claudeSource } from '../../src/wires/claude/source.ts'
import { NOTES as CODEX } from '../../src/wires/codex/notes.ts'
import { codexSource } from '../../src/wires/codex/source.ts'
import { opencodeSource } from '../../src/wires/opencode/source.ts'

const COUNT = 200_000

const blocks = Array.from(
  { length: COUNT },
  (_, at): ConversationBlock => ({
    type: 'assistant_text',
    id: `unnamed:${at}`,
    conversationId: 'main',
    status: 'complete',
    content: 'Yes.',
  }),
)
const state: SessionConversationState = { ...createInitialConversationState(), session: { id: 's' }, blocks }

// A call with one argument for each block overflows the stack.
describe('a state of 200,000 blocks', () => {
  it('goes on with the next number', () => {
    expect(notesOf(ACP, acpSource.open(state).notes).unnamed.get('main')).toBe(COUNT)
    expect(notesOf(CODEX, codexSource.open(state).notes).unnamed.get('main')).toBe(COUNT)
  })

  it.each([
    ['AG-UI', agUiSource],
    ['Claude Code', claudeSource],
    ['OpenCode', opencodeSource],
  ])('is resumed by %s', (_, source) => {
    expect(source.open(state).state.session).toEqual({ id: 's' })
  })
})
