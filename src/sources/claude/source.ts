import { assertNever } from '../../state/assert-never.ts'
import { count, isObject, type JsonObject, text } from '../../state/json.ts'
import { known } from '../../state/known.ts'
import { MAIN } from '../../state/session.ts'
import { inOrder } from '../order.ts'
import type { Ending, Source, SourceEnd, Translated } from '../source.ts'
import { type Tasks, workOff } from '../tasks.ts'
import { typeName } from '../translation.ts'
import { startStated, translateAgentMeta } from './agent-meta.ts'
import { learnAgent } from './agents.ts'
import { translateAssistant, updateTokens } from './assistant.ts'
import { translateAttachment } from './attachment.ts'
import { BOOK_KEEPING } from './book-keeping.ts'
import { type Line, readLine } from './line.ts'
import { type ClaudeMemory, initialMemory } from './memory.ts'
import { endTurn } from './result.ts'
import { holdSidechain, isInlineSidechain, releaseSidechain } from './sidechain.ts'
import { endStrays, holdStray, isStray, releaseNamed, releaseNoted } from './stray.ts'
import { translateStreamEvent } from './stream-event.ts'
import { noteRetry, translateSystem } from './system.ts'
import { Translation } from './translation.ts'
import { translateUser } from './user.ts'

/**
 * Reads Claude Code and the Claude Agent SDK: messages of `--output-format stream-json`, with or without partial ones,
 * and lines of the files under `projects/`.
 */
export const claudeSource: Source<ClaudeMemory> = { initial: initialMemory, translate, end }

function translate(memory: ClaudeMemory, message: unknown): Translated<ClaudeMemory> {
  const translation = new Translation(memory)
  const read = translation.read(message)
  if (isObject(read)) workOff(() => translateOnce(readLine(memory, read), translation))
  else translation.report('unknown-message', 'no object')
  return translation.finish()
}

/** The types of lines that are part of a conversation. */
const SAID: ReadonlySet<unknown> = new Set(['assistant', 'attachment', 'system', 'user'])

function translateOnce(line: Line, translation: Translation): Tasks {
  if (isRepeated(line, translation)) updateTokens(line, translation)
  else if (isInlineSidechain(line)) holdSidechain(line, translation)
  else return translateInTurn(line, translation)
  return []
}

/** What a line has waiting comes before it. */
function translateInTurn(line: Line, translation: Translation): Tasks {
  if (SAID.has(line.raw.type)) releaseSidechain(line, translation, translateNew)
  const named = releaseNamed(line, translation)
  const linked = () => translateLinked(line, translation)
  return named.length === 0 ? linked() : [...tasksOf(named, translation), linked]
}

/** The lines of an agent wait until its call is known. */
function translateLinked(line: Line, translation: Translation): Tasks {
  if (isStray(line, translation)) {
    if (SAID.has(line.raw.type)) holdStray(line, translation)
    else translateOther(line.raw, translation)
    return []
  }
  translateAndRemember(line, translation)
  return line.raw.type === 'agent_meta' ? tasksOf(releaseNoted(line.raw, translation), translation) : []
}

function tasksOf(held: readonly JsonObject[], translation: Translation): Tasks {
  return held.map((raw) => () => translateOnce(readLine(translation.memory, raw), translation))
}

/** A line that waited may have come twice by then. */
function translateNew(line: Line, translation: Translation): void {
  if (!isRepeated(line, translation)) translateAndRemember(line, translation)
}

function translateAndRemember(line: Line, translation: Translation): void {
  translateLine(line, translation)
  rememberLine(line, translation)
}

function translateLine(line: Line, translation: Translation): void {
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
      return translation.updateFacts(known({ costUsd: count(raw.totalCostUSD) }))
    default:
      return translateOther(raw, translation)
  }
}

/** A line that has been read before, as after a reconnect, adds nothing. */
function isRepeated(line: Line, { memory }: Translation): boolean {
  return line.uuid !== undefined && isRemembered(line) && memory.lines.get(line.uuid) !== undefined
}

function rememberLine(line: Line, translation: Translation): void {
  const { uuid, conversationId } = line
  const { lines } = translation.memory
  if (uuid === undefined || !isRemembered(line) || lines.get(uuid)) return
  translation.remember({ lines: lines.with(uuid, { conversationId, blockIds: [] }) })
}

/** Stream events that name their message are looked after there: there are too many to remember each. */
function isRemembered({ raw }: Line): boolean {
  return raw.type !== 'stream_event' || raw.api_message_id === undefined
}

function translateOther({ type }: JsonObject, translation: Translation): void {
  if (!BOOK_KEEPING.has(type)) translation.report('unknown-message', typeName(type))
}

/** Files have no line for the session itself; every line says a part of it. */
function learnSession({ raw }: Line, translation: Translation): void {
  translation.updateFacts(
    known({
      id: text(raw.sessionId),
      cwd: text(raw.cwd),
      version: text(raw.version),
      program: 'claude-code',
    }),
  )
}

/** Every message of a subagent says a part of whose it is: the call that started it, the agent, or both. */
function meetAgent({ raw, agentId, conversationId }: Line, translation: Translation): void {
  const { agents, strangers } = translation.memory
  const agent = agents.get(conversationId)
  if (conversationId === MAIN || (agent && (agent.agentId !== undefined || agentId === undefined))) return
  // Who joins a stream late may have missed the line that tells it.
  translation.updateFacts({ program: 'claude-code' })
  learnAgent(
    known({
      ...(agentId === undefined ? {} : strangers.get(agentId)),
      toolUseId: conversationId,
      agentId,
      name: text(raw.subagent_type),
      description: text(raw.task_description),
    }),
    translation,
  )
}

/** A retry inside a subagent is told as progress of its parent's call. */
function translateProgress(line: Line, translation: Translation): void {
  if (isObject(line.raw.subagent_retry)) noteRetry(line, line.raw.subagent_retry, translation)
}

function end(memory: ClaudeMemory): SourceEnd {
  const translation = new Translation(memory)
  releaseSidechain(undefined, translation, translateNew)
  endStrays(translation, translateNew)
  startStated(translation)
  const last = translation.finish()
  const unfinished = inOrder(last.memory.agents, (agent) => agent.isSettled !== true)
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
