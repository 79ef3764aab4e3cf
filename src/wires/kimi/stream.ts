import { omitUndefined } from '../../core/json/fields.ts'
import {
  asArray,
  asObject,
  asString,
  isObject,
  isString,
  type JsonObject,
  parseJson,
} from '../../core/json/values.ts'
import {
  type ConversationBlock,
  isCall,
  isPrompt,
  messageIdOf,
  toolResultBlockId,
} from '../../core/state/block.ts'
import { MAIN } from '../../core/state/session.ts'
import { AGENT } from '../../programs/kimi/program.ts'
import { exitCodeIn, outputText } from '../../programs/kimi/results.ts'
import type { Memory, SessionOutput } from '../../reading/context.ts'
import type { SessionLookups } from '../../reading/lookups.ts'
import { noteBlock } from '../kit/blocks.ts'
import { isDistinctive } from '../kit/resumed-text.ts'
import { linkByResult } from './agents.ts'
import { showCall, showResult } from './calls.ts'
import type { KimiContext, KimiNotes } from './notes.ts'
import { endKilledTurn } from './prompts.ts'

// `-p --output-format stream-json` prints whole messages of main alone, without ids: `{ role: 'assistant' | 'tool' |
// 'meta', … }`. A text has the place after the last call as its id. The lines have no prompts, so the first texts
// have the place after the start.

/** The beginning of an id of a message that only this form has. */
const PREFIX = 'line:'

/** Translates a line. Returns whether the line is one of this form. */
export function translateLine(line: JsonObject, context: KimiContext): boolean {
  switch (line.role) {
    case 'meta':
      return readMeta(line, context)
    case 'assistant':
      readAnswer(line, context)
      return true
    case 'tool':
      readResult(line, context)
      return true
    default:
      return false
  }
}

function readMeta(line: JsonObject, context: KimiContext): boolean {
  switch (line.type) {
    case 'system.version': {
      if (context.notes.values.streamPlace) context.notes.remember({ isNewProcess: true })
      const version = asString(line.version)
      context.updateFacts({ version })
      if (context.notes.values.repeatedTo === undefined) context.turn.start()
      return true
    }
    case 'session.resume_hint':
      context.addMissingFacts({ id: asString(line.session_id) })
      endProcess(context)
      return true
    case 'turn.step.retrying':
      showRetry(line, context)
      return true
    default:
      return false
  }
}

/** The program prints its last line when all turns and all agents in the background have ended. No line has their reports. */
function endProcess(output: SessionOutput): void {
  for (const toolUseId of output.state.runningAgents())
    output.emit({ type: 'subagent:completed', toolUseId, status: 'completed' })
  if (output.state.turn.status === 'running') output.turn.end({ outcome: 'finished' })
}

function showRetry(line: JsonObject, context: KimiContext): void {
  const words = asString(line.errorMessage) ?? asString(line.error_message) ?? asString(line.content)
  const id = retryId(line) ?? `${messageAt(context.notes.values.streamPlace ?? START)}:retry`
  const message = words ?? 'The program tries again'
  context.turn.start()
  context.upsert(MAIN, noteBlock({ id, subtype: 'retry', message }))
}

/** Returns the id of a retry. Its delay has a random part, so the same line has come again. */
function retryId({ failed_attempt: attempt, delay_ms: delay }: JsonObject): string | undefined {
  return typeof attempt === 'number' && typeof delay === 'number'
    ? `${PREFIX}retry:${attempt}:${delay}`
    : undefined
}

type StreamPlace = NonNullable<KimiNotes['streamPlace']>

const START: StreamPlace = { count: 0 }

/** Returns the id of the message of the model at a place. */
function messageAt({ after = '', count }: StreamPlace): string {
  return `${PREFIX}${after}:${count}`
}

/** Returns the place after a text of a line. */
function placeAfterText({ id }: ConversationBlock): StreamPlace {
  const [, after = '', count = 0] = /^line:(.*):(\d+):0$/s.exec(id) ?? []
  return omitUndefined({ after: after || undefined, count: Number(count) + 1 })
}

/** Returns the place after blocks that lines have shown; undefined for those of another form. Calls of lines name no message. */
export function placeAfter(blocks: readonly ConversationBlock[]): KimiNotes['streamPlace'] {
  const ofLines = (block: ConversationBlock) =>
    block.id.startsWith(PREFIX) || (isCall(block) && messageIdOf(block) === undefined)
  if (!blocks.some(ofLines)) return undefined
  const at = blocks.findLastIndex(isCall)
  const call = blocks[at]
  const texts = blocks.slice(at + 1).filter(({ type }) => type === 'assistant_text')
  const after = call && 'toolUseId' in call ? call.toolUseId : undefined
  return omitUndefined({ after, count: texts.length })
}

/**
 * Shows a message of the model: its text, and then its calls. A message without calls answers the turn. A message
 * that comes again revives nothing.
 */
function readAnswer({ content, tool_calls }: JsonObject, context: KimiContext): void {
  const calls = asArray(tool_calls).map(asObject)
  const isKnown = calls.some(({ id }) => isString(id) && isKnownCall(id, context.state))
  const text = isString(content) && content !== '' && !isKnown ? content : undefined
  const repeated = text === undefined ? undefined : repeatedText(text, context)
  const isNews =
    repeated === undefined &&
    (text !== undefined || calls.some(({ id }) => isString(id) && !isKnownCall(id, context.state)))
  if (isNews) startProcess(context)
  else context.notes.remember({ isNewProcess: undefined })
  if (text !== undefined && !repeated) showText(text, context)
  else if (repeated?.id.startsWith(PREFIX)) context.notes.remember({ streamPlace: placeAfterText(repeated) })
  for (const call of calls) readCall(call, context)
  if (calls.length === 0 && (isNews || (repeated && context.state.blocksOf(MAIN).at(-1) === repeated)))
    context.turn.answer({})
}

/**
 * Starts the turn of new content. A process that was killed has printed no end. A turn that a task in the background
 * has started follows an answer.
 */
function startProcess(context: KimiContext): void {
  if (context.notes.values.isNewProcess) endKilledTurn(context)
  context.notes.remember({ isNewProcess: undefined })
  if (context.notes.values.answer) context.turn.begin()
  else context.turn.start()
}

function showText(content: string, context: KimiContext): void {
  const known = context.notes.values.streamPlace ?? START
  const isTaken = context.state.findBlock(MAIN, `${messageAt(known)}:0`) !== undefined
  const place = isTaken ? (placeAfter(context.state.blocksOf(MAIN)) ?? known) : known
  const messageId = messageAt(place)
  context.notes.remember({ streamPlace: { ...place, count: place.count + 1 } })
  context.upsert(MAIN, {
    type: 'assistant_text',
    id: `${messageId}:0`,
    status: 'complete',
    content,
    messageId,
  })
}

/** The most blocks among which a text that comes again is. */
const MOST_REPEATED = 20

/**
 * Returns the block of a text that comes again. A line has no id. After a line that has come again the place shows
 * it, and so does a text of a file's last turn, in order. Otherwise only the words do.
 */
function repeatedText(content: string, memory: Memory<KimiContext>): ConversationBlock | undefined {
  const { repeatedTo, streamPlace = START } = memory.notes.values
  const atPlace = memory.state.findBlock(MAIN, `${messageAt(streamPlace)}:0`)
  if (atPlace) return 'content' in atPlace && atPlace.content === content ? atPlace : undefined
  if (repeatedTo === undefined && !isDistinctive(content)) return undefined
  const blocks = memory.state.blocksOf(MAIN)
  const first = repeatedTo === undefined ? Math.max(0, blocks.length - MOST_REPEATED) : 0
  for (let at = blocks.length - 1; at >= first; at -= 1) {
    const block = blocks[at]
    if (!block || block.id === repeatedTo || isPrompt(block)) return undefined
    if (block.type !== 'assistant_text' || block.content !== content) continue
    if (repeatedTo !== undefined) memory.notes.remember({ repeatedTo: block.id })
    return block
  }
  return undefined
}

function isKnownCall(id: string, state: SessionLookups): boolean {
  return state.findBlock(MAIN, id) !== undefined || state.agentOfCall(id) !== undefined
}

function readCall({ id, function: named }: JsonObject, context: KimiContext): void {
  const { name, arguments: text } = asObject(named)
  const toolUseId = asString(id)
  if (toolUseId === undefined) return
  const toolName = asString(name) ?? ''
  const input = parseJson(asString(text) ?? '') ?? text ?? {}
  const isKnown = isKnownCall(toolUseId, context.state)
  if (!isKnown) showCall(MAIN, { toolUseId, toolName, input }, context)
  // The program may write a call again before its result. The next text comes after the last call.
  const isOpen = isKnown && !context.state.findBlock(MAIN, toolResultBlockId(toolUseId))
  const place = isOpen ? placeAfter(context.state.blocksOf(MAIN)) : undefined
  context.notes.remember({ streamPlace: place ?? { after: toolUseId, count: 0 } })
  if (!isKnown && toolName === AGENT) startAgentOf(toolUseId, asObject(input), context)
}

/** No line says that an agent has started: it has as soon as its call is there. */
function startAgentOf(toolUseId: string, input: JsonObject, context: KimiContext): void {
  const { prompt } = context.state.agentOfCall(toolUseId) ?? {}
  const resumed = context.conversationOf(asString(input.resume) ?? '')
  if (prompt !== undefined)
    context.emit({ type: 'subagent:spawned', conversationId: MAIN, toolUseId, prompt })
  else if (resumed !== undefined && resumed !== MAIN)
    context.emit({ type: 'subagent:resumed', toolUseId: resumed, runId: toolUseId })
}

/** No line says whether a result is an error. Only a command shows it. */
function readResult({ tool_call_id, content }: JsonObject, context: KimiContext): void {
  const toolUseId = asString(tool_call_id)
  context.notes.remember({ isNewProcess: undefined })
  if (toolUseId === undefined || hasResult(toolUseId, context.state)) return
  context.turn.start()
  const isError = exitCodeIn(asString(content) ?? '') !== undefined
  linkByResult(MAIN, { toolUseId, text: outputText(content) }, context)
  showResult(MAIN, { toolUseId, output: partsIn(content), isError }, context)
}

/** A result with images is the JSON of its parts. */
function partsIn(content: unknown): unknown {
  const parts = isString(content) && content.startsWith('[{"type":"') ? parseJson(content) : undefined
  const hasImage = asArray(parts).some((part) => isObject(asObject(part).imageUrl))
  return hasImage ? parts : content
}

function hasResult(toolUseId: string, state: SessionLookups): boolean {
  if (state.findBlock(MAIN, toolResultBlockId(toolUseId))) return true
  return state.agentOfCall(toolUseId)?.output !== undefined && state.hasEnded(toolUseId)
}
