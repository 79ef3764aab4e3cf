import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { foldSessionEvents } from '../../src/core/reducer/reduce.ts'
import { createInitialConversationState } from '../../src/core/state/session.ts'
import {
  type ConversationBlock,
  readTranscript,
  type SessionConversationState,
} from '../../src/entries/index.ts'

/** The files of reports. */
export const REPORTS: string = join(import.meta.dirname, '../../fixtures/reports')

export function textOf(path: string): string {
  return readFileSync(join(REPORTS, path), 'utf8')
}

export function linesOf(path: string): readonly string[] {
  return textOf(path)
    .split('\n')
    .filter((line) => line !== '')
}

export function messagesOf(path: string): readonly unknown[] {
  return linesOf(path).map((line): unknown => JSON.parse(line))
}

/** A session in the form that `readTranscript` finds. */
interface Folded extends Pick<ReturnType<typeof readTranscript>, 'issues' | 'ending'> {
  readonly state: SessionConversationState
}

export function fold(text: string): Folded {
  const { events, issues, ending } = readTranscript(text)
  return { state: foldSessionEvents(createInitialConversationState(), events).state, issues, ending }
}

/** The words of main: prompts of the person with a mark before them, and texts of the model. */
export function said({ blocks }: Pick<SessionConversationState, 'blocks'>): readonly string[] {
  return blocks.flatMap((block: ConversationBlock) => {
    if (block.type === 'user_message') return block.origin === undefined ? [`> ${String(block.content)}`] : []
    return block.type === 'assistant_text' ? [block.content] : []
  })
}
