import { assertNever } from '../../json/assert-never.ts'
import { omitUndefined } from '../../json/omit-undefined.ts'
import { asFiniteNumber, asString, isObject, type JsonObject } from '../../json/values.ts'
import { MAIN } from '../../state/session.ts'
import type { Ending, Source, SourceEnd, Translated } from '../source.ts'
import { typeName } from '../translation/context.ts'
import { sortedByOrder } from '../translation/order.ts'
import { drain, type WorkQueue } from '../translation/work-queue.ts'
import { startStated, translateAgentMeta } from './agents/agent-meta.ts'
import { learnAgent } from './agents/agents.ts'
import { translateAssistant, updateTokens } from './blocks/assistant.ts'
import { translateAttachment } from './blocks/attachment.ts'
import { endTurn } from './blocks/result.ts'
import { translateStreamEvent } from './blocks/stream-event.ts'
import { noteRetry, translateSystem } from './blocks/system.ts'
import { translateUser } from './blocks/user.ts'
import { ClaudeContext } from './context.ts'
import { BOOK_KEEPING } from './lines/ignored-types.ts'
import { holdSidechain, isInlineSidechain, releaseSidechain } from './lines/inline-agents.ts'
import { type Line, readLine } from './lines/line.ts'
import { endStrays, holdStray, isStray, releaseNamed, releaseNoted } from './lines/unlinked-agents.ts'
import { type ClaudeMemory, initialMemory } from './memory.ts'

/**
 * Reads Claude Code and the Claude Agent SDK: messages of `--output-format stream-json`, with or without partial ones,
 * and lines of the files under `projects/`.
 */
export const claudeSource: Source<ClaudeMemory> = { initial: initialMemory, translate, end }

function translate(memory: ClaudeMemory, message: unknown): Translated<ClaudeMemory> {
  const translation = new ClaudeContext(memory)
  const read = translation.read(message)
  if (isObject(read)) drain(() => translateOnce(readLine(memory, read), translation))
  else translation.reportUnknown('unknown-message', 'no object')
  return translation.finish()
}

/** The types of lines that are part of a conversation. */
const SAID: ReadonlySet<unknown> = new Set(['assistant', 'attachment', 'system', 'user'])

function translateOnce(line: Line, translation: ClaudeContext): WorkQueue {
  if (isRepeated(line, translation)) updateTokens(line, translation)
  else if (isInlineSidechain(line)) holdSidechain(line, translation)
  else return translateInTurn(line, translation)
  return []
}

/** What a line has waiting comes before it. */
function translateInTurn(line: Line, translation: ClaudeContext): WorkQueue {
  if (SAID.has(line.raw.type)) releaseSidechain(line, translation, translateNew)
  const named = releaseNamed(line, translation)
  const linked = () => translateLinked(line, translation)
  return named.length === 0 ? linked() : [...tasksOf(named, translation), linked]
}

/** The lines of an agent wait until its call is known. */
function translateLinked(line: Line, translation: ClaudeContext): WorkQueue {
  if (isStray(line, translation)) {
    if (SAID.has(line.raw.type)) holdStray(line, translation)
    else translateOther(line.raw, translation)
    return []
  }
  translateAndRemember(line, translation)
  return line.raw.type === 'agent_meta' ? tasksOf(releaseNoted(line.raw, translation), translation) : []
}

function tasksOf(held: readonly JsonObject[], translation: ClaudeContext): WorkQueue {
  return held.map((raw) => () => translateOnce(readLine(translation.memory, raw), translation))
}

/** A line that waited may have come twice by then. */
function translateNew(line: Line, translation: ClaudeContext): void {
  if (!isRepeated(line, translation)) translateAndRemember(line, translation)
}

function translateAndRemember(line: Line, translation: ClaudeContext): void {
  translateLine(line, translation)
  rememberLine(line, translation)
}

function translateLine(line: Line, translation: ClaudeContext): void {
  const { raw } = line
  if (typeof raw.session_id === 'string' && !translation.memory.isStream)
    translation.remember({ isStream: true })
  if (typeof raw.sessionId === 'string') learnSession(line, translation)
  meetAgent(line, translation)
  switch (raw.type) {
    case 'assistant':
      return translateAssistant(line, translation)
    case 'user':
      return translateUser(line, translation)
    case 'stream_event':
      return translateStreamEvent(line, translation)
    case 'system':
      return translateSystem(line, translation)
    case 'result':
      return endTurn(line, translation)
    case 'tool_progress':
      return translateProgress(line, translation)
    case 'attachment':
      return translateAttachment(line, translation)
    case 'agent_meta':
      return translateAgentMeta(raw, translation)
    case 'cost-state':
      return translation.updateFacts(omitUndefined({ costUsd: asFiniteNumber(raw.totalCostUSD) }))
    default:
      return translateOther(raw, translation)
  }
}

/** A line that has been read before, as after a reconnect, adds nothing. */
function isRepeated(line: Line, { memory }: ClaudeContext): boolean {
  return line.uuid !== undefined && isRemembered(line) && memory.lines.get(line.uuid) !== undefined
}

function rememberLine(line: Line, translation: ClaudeContext): void {
  const { uuid, conversationId } = line
  const { lines } = translation.memory
  if (uuid === undefined || !isRemembered(line) || lines.get(uuid)) return
  translation.remember({ lines: lines.with(uuid, { conversationId, blockIds: [] }) })
}

/** Stream events that name their message are looked after there: there are too many to remember each. */
function isRemembered({ raw }: Line): boolean {
  return raw.type !== 'stream_event' || raw.api_message_id === undefined
}

function translateOther({ type }: JsonObject, translation: ClaudeContext): void {
  if (!BOOK_KEEPING.has(type)) translation.reportUnknown('unknown-message', typeName(type))
}

/** Files have no line for the session itself; every line says a part of it. */
function learnSession({ raw }: Line, translation: ClaudeContext): void {
  translation.updateFacts(
    omitUndefined({
      id: asString(raw.sessionId),
      cwd: asString(raw.cwd),
      version: asString(raw.version),
      program: 'claude-code',
    }),
  )
}

/** Every message of a subagent says a part of whose it is: the call that started it, the agent, or both. */
function meetAgent({ raw, agentId, conversationId }: Line, translation: ClaudeContext): void {
  const { agents, strangers } = translation.memory
  const agent = agents.get(conversationId)
  if (conversationId === MAIN || (agent && (agent.agentId !== undefined || agentId === undefined))) return
  // Who joins a stream late may have missed the line that tells it.
  translation.updateFacts({ program: 'claude-code' })
  learnAgent(
    omitUndefined({
      ...(agentId === undefined ? {} : strangers.get(agentId)),
      toolUseId: conversationId,
      agentId,
      name: asString(raw.subagent_type),
      description: asString(raw.task_description),
    }),
    translation,
  )
}

/** A retry inside a subagent is told as progress of its parent's call. */
function translateProgress(line: Line, translation: ClaudeContext): void {
  if (isObject(line.raw.subagent_retry)) noteRetry(line, line.raw.subagent_retry, translation)
}

function end(memory: ClaudeMemory): SourceEnd {
  const translation = new ClaudeContext(memory)
  releaseSidechain(undefined, translation, translateNew)
  endStrays(translation, translateNew)
  startStated(translation)
  const last = translation.finish()
  const unfinished = sortedByOrder(last.memory.agents, (agent) => agent.isSettled !== true)
  const issues = unfinished.map(({ toolUseId }) => ({
    code: 'unfinished-subagent' as const,
    count: 1,
    toolUseId,
  }))
  const ending = unfinished.length > 0 ? 'interrupted' : endingOf(last.memory)
  return { events: last.events, issues: [...last.issues, ...issues], ending }
}

function endingOf({ turn, isStream }: ClaudeMemory): Ending {
  switch (turn) {
    case 'none':
      return 'open'
    case 'running':
    case 'interrupted':
      return 'interrupted'
    case 'answered':
      // A stream would have told the turn's result.
      return isStream ? 'open' : 'finished'
    case 'ended':
      return 'finished'
    default:
      return assertNever(turn)
  }
}
