import type { SessionEvent } from './events/event.ts'
import { reduceSessionEvents } from './reducer/reduce.ts'
import { claudeEntries } from './sources/claude/entries.ts'
import { claudeSource } from './sources/claude/source.ts'
import { type CombinedTranscript, TranscriptError } from './sources/combined.ts'
import type { Entry } from './sources/entries.ts'
import { opencodeEntries } from './sources/opencode/entries.ts'
import { opencodeSource } from './sources/opencode/source.ts'
import type { Ending, Source, SourceIssue } from './sources/source.ts'
import { known } from './state/known.ts'
import { createInitialConversationState, type SessionConversationState } from './state/session.ts'

/**
 * The programs whose formats can be read: `claude-sdk` is Claude Code and the Claude Agent SDK, stream and files alike;
 * `opencode` is OpenCode, the events of its bus, its exports and `run --format json`.
 */
export type Architecture = 'claude-sdk' | 'opencode'

/** A whole input as events, in their order, and what there was to say about it. */
export interface ReadTranscript {
  readonly events: readonly SessionEvent[]
  readonly issues: readonly SourceIssue[]
  readonly ending: Ending
}

/**
 * Reads a transcript into events: newline-delimited JSON, an export, or main and subagents combined (as an object, or its
 * JSON). Lines that are broken or not known are issues. Empty input is an empty session. Throws a `TranscriptError` where
 * there is input but not one line that is known, a `RangeError` for another architecture, a `TypeError` for another kind
 * of input.
 */
export function readTranscript(architecture: Architecture, raw: string | CombinedTranscript): ReadTranscript {
  switch (architecture) {
    case 'claude-sdk':
      return readEntries(claudeSource, claudeEntries(raw))
    case 'opencode':
      return readEntries(opencodeSource, opencodeEntries(raw))
    default:
      throw new RangeError(`unknown architecture ${String(architecture)}: use 'claude-sdk' or 'opencode'`)
  }
}

/** Reads a transcript into the state that its events lead to. Throws like `readTranscript`. */
export function parseTranscript(
  architecture: Architecture,
  raw: string | CombinedTranscript,
): SessionConversationState {
  return reduceSessionEvents(createInitialConversationState(), readTranscript(architecture, raw).events)
}

function readEntries<Memory>(source: Source<Memory>, entries: readonly Entry[]): ReadTranscript {
  const events: SessionEvent[] = []
  const issues: SourceIssue[] = []
  let { initial: memory } = source
  let knownMessages = 0
  for (const entry of entries) {
    if ('issue' in entry) {
      issues.push(located(entry.issue, entry))
      continue
    }
    const translated = source.translate(memory, entry.message)
    memory = translated.memory
    for (const event of translated.events) events.push(event)
    for (const issue of translated.issues) issues.push(located(issue, entry))
    if (!translated.issues.some((issue) => issue.code === 'unknown-message')) knownMessages += 1
  }
  if (knownMessages === 0 && entries.length > 0)
    throw new TranscriptError(
      'not-a-transcript',
      `not a transcript: not one of its lines is known (${entries.length} in all)`,
    )
  const end = source.end(memory)
  return {
    events: [...events, ...end.events],
    issues: counted([...issues, ...end.issues]),
    ending: end.ending,
  }
}

function located(issue: SourceIssue, { line, transcript }: Entry): SourceIssue {
  return known({ ...issue, line, transcript })
}

/** One issue for all messages of a type that is not known; a broken line is one by itself. */
function counted(issues: readonly SourceIssue[]): readonly SourceIssue[] {
  const byType = new Map<string, SourceIssue>()
  for (const issue of issues) {
    const { code, line, transcript, messageType, toolUseId } = issue
    const key = JSON.stringify(
      messageType === undefined ? [code, line, transcript, toolUseId] : [code, messageType],
    )
    const before = byType.get(key)
    byType.set(key, before ? { ...before, count: before.count + issue.count } : issue)
  }
  return [...byType.values()]
}
