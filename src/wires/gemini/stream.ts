import { omitUndefined } from '../../core/json/fields.ts'
import { type ConversationBlock, toolResultBlockId } from '../../core/state/block.ts'
import { MAIN } from '../../core/state/session.ts'
import { gemini } from '../../programs/gemini/program.ts'
import { agentEndIn } from '../../programs/gemini/tool-result.ts'
import type { SessionLookups } from '../../reading/lookups.ts'
import { endAbandonedTurn, endAgent } from '../kit/abandon.ts'
import { errorBlock, hasResult, noteBlock } from '../kit/blocks.ts'
import { addLine, MOST_OF_ONE_TIME } from '../kit/lines.ts'
import { isDistinctive } from '../kit/resumed-text.ts'
import { freeNumber } from '../kit/reused-ids.ts'
import { startAgent } from './agents.ts'
import { blockOfCall, callOf, endCall, isAgentTool, showResult } from './calls.ts'
import type { StreamEvent } from './messages.ts'
import type { GeminiContext } from './notes.ts'
import { beginTurn, findPrompt, promptBlock } from './prompt.ts'
import { isOwnSession } from './stored.ts'
import {
  isLast,
  lastPlace,
  lastTime,
  type Place,
  storedText,
  takePromptId,
  takeTextId,
  threadOf,
} from './thread.ts'

type EventOf<Type extends StreamEvent['type']> = Extract<StreamEvent, { readonly type: Type }>

/** Translates a line of the stream. All lines are main's: of an agent it has the call alone. */
export function translateStreamEvent(event: StreamEvent, context: GeminiContext): void {
  context.addMissingFacts({ program: gemini.names[0] })
  if (event.type === 'init') return translateInit(event, context)
  if (context.notes.values.otherSessions.get('stream'))
    return context.reportUnknown('other-session', event.type)
  const isUnknown = (event.type === 'call' || event.type === 'result') && !isKnown(event, context.state)
  if (isRepeated(event, context.notes) && !isUnknown) return
  switch (event.type) {
    case 'prompt':
      return translatePrompt(event, context)
    case 'text':
      return translateText(event, context)
    case 'call':
      return translateCall(event, context)
    case 'result':
      return translateResult(event, context)
    case 'note':
      return showNote({ subtype: event.severity, message: event.message }, event.time, context)
    case 'end':
      return translateEnd(event, context)
  }
}

/** Whether the line has come before: a reader may get the last lines again after a reconnect. It notes the line. */
function isRepeated(event: StreamEvent, notes: GeminiContext['notes']): boolean {
  const { time } = event
  const { stream } = notes.values
  if (time === undefined) return false
  const words = wordsOf(event)
  // A short piece of a text may come twice within a ms.
  const mayComeTwice = event.type === 'text' && !isDistinctive(words)
  const lines = addLine(stream, { time, words, mayComeTwice })
  notes.remember({ stream: omitUndefined({ start: stream?.start, ...lines }) })
  return lines.again !== undefined
}

/** Returns what tells lines of one ms apart. Calls and results have ids of their own. */
function wordsOf(event: StreamEvent): string {
  if ('text' in event) return event.text
  return event.type === 'note' ? event.message : event.type
}

/** Whether the call has a block, or the result of the call. */
function isKnown({ type, id }: EventOf<'call' | 'result'>, state: SessionLookups): boolean {
  if (state.findBlock(MAIN, type === 'call' ? id : toolResultBlockId(id))) return true
  return type === 'call' ? state.agentOfCall(id) !== undefined : state.hasEnded(id)
}

/** A process begins. The times of another process may be earlier than those of the last one. */
function translateInit({ sessionId, model, time }: EventOf<'init'>, context: GeminiContext): void {
  const { stream } = context.notes.values
  if (!isOwnSession(sessionId, 'stream', context)) return
  if (time !== undefined && stream?.start === time) return
  const isNew = isLast(time, context.state)
  if (model !== undefined && isNew) context.updateFacts({ model })
  if (time !== undefined) context.notes.remember({ stream: { time, start: time, seen: [] } })
  context.notes.remember({ streamPlace: undefined, ...(!isNew && { openText: undefined }) })
  if (!isNew) return
  closeText(time, context)
  endAbandonedTurn(time, context)
}

function translatePrompt({ text: content, time }: EventOf<'prompt'>, context: GeminiContext): void {
  closeText(time, context)
  const main = threadOf(undefined, context.state)
  const known = findPrompt(main, { content, before: time, isUnnamed: false }, context)
  const id = known ?? takePromptId(main, context.notes)
  context.notes.remember({ streamPlace: { id } })
  if (known !== undefined) return
  beginTurn(time, context)
  context.notes.setEntry('unnamedPrompts', context.notes.keyOf(MAIN, id), true)
  context.upsert(MAIN, promptBlock(id, { content, time }))
}

function translateText({ text, time }: EventOf<'text'>, context: GeminiContext): void {
  const { openText } = context.notes.values
  if (openText && extendText(openText, text, time, context)) return
  const words = storedText(text)
  const place =
    context.notes.values.streamPlace ??
    placeOfText(words, time, context.state) ??
    lastPlace(MAIN, context.state)
  // A file, or the stream itself, may have shown the text already.
  const isKnown = (known: ConversationBlock) => {
    if (known.type !== 'assistant_text') return false
    if (known.messageId !== undefined) return storedText(known.content).includes(words)
    return known.timestamp === time && known.content.startsWith(text)
  }
  const { id, next } = takeTextId(MAIN, place, 'assistant_text', isKnown, context.state)
  context.notes.remember({ streamPlace: next })
  if (context.state.findBlock(MAIN, id))
    return context.notes.remember({ openText: { id, position: text.length } })
  context.turn.noteWork(time)
  context.notes.remember({ openText: { id } })
  const block = { type: 'assistant_text', id, status: 'pending', content: text, timestamp: time } as const
  context.upsert(MAIN, block)
}

/**
 * Returns the place of a text that a file has from the time of the piece or later. A reader that joins in the middle
 * of a turn has missed the place.
 */
function placeOfText(words: string, time = '', state: SessionLookups): Place | undefined {
  const blocks = state.blocksOf(MAIN)
  for (let at = blocks.length - 1; at >= 0; at -= 1) {
    const block = blocks[at]
    if (block?.timestamp !== undefined && block.timestamp < time) return undefined
    if (block?.type === 'assistant_text' && storedText(block.content).includes(words))
      return { id: block.id.replace(/:\d+$/, '') }
  }
  return undefined
}

/** Adds a piece to the text that the stream builds. Returns false if the piece begins another text. */
function extendText(
  { id, position }: NonNullable<GeminiContext['notes']['values']['openText']>,
  delta: string,
  time: string | undefined,
  context: GeminiContext,
): boolean {
  const known = context.state.findBlock(MAIN, id)
  if (known?.type !== 'assistant_text') return false
  if (position !== undefined && known.messageId !== undefined)
    return storedText(known.content).includes(storedText(delta))
  if (position !== undefined && known.content.startsWith(delta, position)) {
    context.notes.remember({ openText: { id, position: position + delta.length } })
    return true
  }
  if (position !== undefined && (position < known.content.length || !context.state.isOpen(MAIN, id)))
    return false
  context.turn.noteWork(time)
  if (position !== undefined) context.notes.remember({ openText: { id } })
  context.emit({ type: 'block:delta', conversationId: MAIN, blockId: id, delta })
  return true
}

/** Ends the text that the stream builds. A line from before the text comes again, and does not end it. */
function closeText(time: string | undefined, context: GeminiContext): void {
  const { openText } = context.notes.values
  if (!openText) return
  const block = context.state.findBlock(MAIN, openText.id)
  context.notes.remember({ openText: undefined })
  if (block?.type !== 'assistant_text' || !context.state.isOpen(MAIN, block.id)) return
  const { content, timestamp = '' } = block
  const isBuilt = (openText.position ?? content.length) >= content.length
  if (isBuilt && (time === undefined || time >= timestamp))
    context.upsert(MAIN, { ...block, status: 'complete' })
}

function translateCall(event: EventOf<'call'>, context: GeminiContext): void {
  const { id, name, time } = event
  closeText(time, context)
  context.notes.remember({ streamPlace: { id } })
  if (isKnown(event, context.state)) return
  context.turn.noteWork(time)
  if (isAgentTool(name)) startAgent(MAIN, event, context)
  else context.upsert(MAIN, blockOfCall(event, 'pending'))
}

function translateResult(event: EventOf<'result'>, context: GeminiContext): void {
  const { id, isError, output, time } = event
  closeText(time, context)
  // A reader that joins late has missed the call. Its id begins with the name of the tool.
  const [, toolName = ''] = /^(.+?)__/.exec(id) ?? []
  const missed = { id, name: toolName, input: {}, time: undefined }
  if (isAgentTool(toolName) && !context.state.agentOfCall(id)) startAgent(MAIN, missed, context)
  if (context.state.agentOfCall(id)) {
    if (context.state.hasEnded(id)) return
    const { isError: hasFailed, report } = agentEndIn(output, undefined)
    return endAgent(id, { isError: isError || hasFailed, output: output && report, timestamp: time }, context)
  }
  if (hasResult(MAIN, id, context.state)) return
  const known = context.state.findBlock(MAIN, id)
  const call = known?.type === 'tool_use' ? callOf(known) : missed
  context.turn.noteWork(time)
  const end = { output: output ?? '', isError, time }
  if (known) endCall(MAIN, call, end, context)
  else showResult(MAIN, call, end, context)
}

/** Shows a note of the program. Notes have no ids, and two of them may have one time. */
function showNote(
  { subtype, code, message }: { readonly subtype?: string; readonly code?: string; readonly message: string },
  time: string | undefined,
  context: GeminiContext,
): void {
  const place = time ?? (context.notes.values.streamPlace ?? lastPlace(MAIN, context.state)).id
  const common = { id: noteId(place, message, context.state), message, timestamp: time }
  if (context.state.findBlock(MAIN, common.id)) return
  const block = subtype === undefined ? errorBlock({ code, ...common }) : noteBlock({ subtype, ...common })
  context.upsert(MAIN, block)
}

/** Returns the id of the note with these words among the last ones at a place, or else a free one. */
function noteId(place: string, message: string, state: SessionLookups): string {
  const idAt = (number: number) => `note:${place}:${number}`
  const free = freeNumber((number) => state.findBlock(MAIN, idAt(number)) !== undefined)
  for (let number = free - 1; number >= Math.max(0, free - MOST_OF_ONE_TIME); number -= 1) {
    const known = state.findBlock(MAIN, idAt(number))
    if (known && 'message' in known && known.message === message) return known.id
  }
  return idAt(free)
}

/** The process ends. A turn that a file has shown beyond that time has another end. */
function translateEnd(
  { error, code = 'unknown', time: timestamp }: EventOf<'end'>,
  context: GeminiContext,
): void {
  if (timestamp !== undefined && timestamp < (lastTime(context.state) ?? '')) return
  if (error === undefined) {
    closeText(timestamp, context)
    return context.turn.end({ outcome: 'finished', timestamp })
  }
  context.notes.remember({ openText: undefined })
  const isStop = /cancel/i.test(code)
  showNote({ ...(isStop ? { subtype: 'interruption' } : { code }), message: error }, timestamp, context)
  if (isStop) context.turn.end({ outcome: 'interrupted', timestamp })
  else context.turn.end({ outcome: 'failed', error, timestamp })
}
