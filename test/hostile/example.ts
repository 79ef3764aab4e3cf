import type { SessionConversationState, SessionEvent } from '../../src/entries/index.ts'
import { delta, fold, spawn, text, upsert } from '../core/reducer/example.ts'

/** A state, and an event that changes it. */
export const state: SessionConversationState = fold(upsert(text('a')), spawn('T'), upsert(text('a'), 'T'))
export const good: SessionEvent = delta('a', 'good')
