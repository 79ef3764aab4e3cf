import { omitUndefined } from '../../core/json/fields.ts'
import { MAIN } from '../../core/state/session.ts'
import { cline } from '../../programs/cline/program.ts'
import type { Memory, SessionOutput } from '../../reading/context.ts'
import type { SessionLookups } from '../../reading/lookups.ts'
import type { TurnEnd } from '../../reading/turn.ts'
import { endAbandonedTurn, endAgent } from '../kit/abandon.ts'
import { errorBlock, noteBlock } from '../kit/blocks.ts'
import { addLine } from '../kit/lines.ts'
import { conversationOf, isAsking, onlyAsking, runOfTeammate, startAgentOfHook } from './agents.ts'
import { endCall, startCall } from './calls.ts'
import type { AgentEvent, ClineLine, TeamEvent } from './messages.ts'
import type { ClineContext, UnplacedReply } from './notes.ts'
import { placedReplies, placeReply, type ReplyEvent, takeUnplaced } from './place.ts'
import { addText, addThought, endText, reportTokens, show, takeReply } from './reply.ts'
import { idAt, idOfStart } from './reused-ids.ts'

/** Translates a line of the stream. */
export function translateLine(line: ClineLine, text: string, context: ClineContext): void {
  context.addMissingFacts({ program: cline.names[0] })
  if (isRepeated(line, text, context.notes)) {
    // The words of an end have no agent: the hook before them has it.
    if (line.type === 'hook') noteActor(line, context)
    return
  }
  switch (line.type) {
    case 'hook':
      translateHook(line, context)
      break
    case 'event':
      translateEvent(line, context)
      break
    case 'team':
      translateTeamEvent(line.event, line.time, context)
      break
    case 'end':
      translateEnd(line, context)
      break
  }
  for (const { conversationId, reply } of placedReplies(false, context))
    showReply(conversationId, reply, context)
}

/** Whether the line has come before. It notes the line. Several calls at once announce themselves with equal lines. */
function isRepeated(line: ClineLine, words: string, notes: ClineContext['notes']): boolean {
  const { time } = line
  if (time === undefined) return false
  const mayComeTwice = line.type === 'hook' && line.hook === 'tool_call'
  const stream = addLine(notes.values.stream, { time, words, mayComeTwice })
  notes.remember({ stream })
  return stream.again !== undefined
}

function translateHook(
  { hook, agentId, parentId, time }: Extract<ClineLine, { readonly type: 'hook' }>,
  context: ClineContext,
): void {
  if (context.notes.values.teammates.get(agentId) !== undefined) return
  if (parentId !== undefined) startAgentOfHook(agentId, parentId, context)
  else if (context.notes.values.mainId === undefined) context.notes.remember({ mainId: agentId })
  const id = conversationOf(agentId, context)
  if (id === undefined) return
  noteActor({ agentId }, context)
  if (hook !== 'agent_start' && isAsking(id, context)) {
    const reply = takeUnplaced(id, context)
    if (reply) showReply(id, reply, context)
  }
  if (hook === 'agent_start' && id === MAIN && !isInFile(id, time, context.notes.values))
    context.turn.noteWork(time)
  else if (hook === 'tool_call')
    context.notes.setEntry('announced', id, (context.notes.values.announced.get(id) ?? 0) + 1)
  else if (hook === 'agent_end') endConversation(id, false, time, context)
  else if (hook === 'agent_error') endConversation(id, true, time, context)
}

function noteActor({ agentId }: { readonly agentId: string }, memory: Memory<ClineContext>): void {
  const id = conversationOf(agentId, memory)
  if (id !== undefined) memory.notes.remember({ lastActor: id })
}

/** Whether the file of the conversation goes to that time, or beyond it. */
function isInFile(id: string, time: string | undefined, notes: ClineContext['notes']['values']): boolean {
  return time !== undefined && time <= (notes.covered.get(id) ?? '')
}

/** An agent has ended. The words of its end follow. */
function endConversation(
  id: string,
  isError: boolean,
  timestamp: string | undefined,
  output: SessionOutput,
): void {
  if (id !== MAIN) return endAgent(id, { isError, timestamp }, output)
  if (output.state.turn.status === 'running')
    output.turn.answer({ outcome: isError ? 'failed' : 'finished', timestamp })
}

function translateEvent(
  { event, teammate, time }: Extract<ClineLine, { readonly type: 'event' }>,
  context: ClineContext,
): void {
  const named = teammate === undefined ? undefined : runOfTeammate(teammate, context.state)
  if (teammate !== undefined && named === undefined) return
  switch (event.type) {
    case 'text':
    case 'text-end':
    case 'thinking':
    case 'thinking-end':
    case 'tokens': {
      const id = named ?? placeReply(event, time, context)
      if (id !== undefined) addToReply(id, event, time, context)
      return
    }
    case 'call':
      return translateCall(named ?? callerOf(context), event, time, context)
    case 'result':
      return translateResult(named, event, time, context)
    case 'reply-starts':
      return endReply(named, context)
    case 'ignored':
      return
    default:
      return translateOutcome(named ?? context.notes.values.lastActor ?? MAIN, event, time, context)
  }
}

/** The next reply of a conversation begins. If several ask the model, the line does not say which. */
function endReply(named: string | undefined, memory: Memory<ClineContext>): void {
  const id = named ?? onlyAsking(memory)
  if (id !== undefined) memory.notes.removeEntry('replies', id)
}

/** Adds a part to the reply of a conversation. */
function addToReply(
  conversationId: string,
  event: ReplyEvent,
  time: string | undefined,
  context: ClineContext,
): void {
  const place = { conversationId, time }
  context.notes.remember({ lastActor: conversationId })
  switch (event.type) {
    case 'text':
      return addText({ ...place, type: 'assistant_text' }, event.accumulated, context)
    case 'text-end':
      return endText({ ...place, type: 'assistant_text' }, event.text, context)
    case 'thinking':
      return addThought(place, event.delta, context)
    case 'thinking-end':
      return endText({ ...place, type: 'thinking' }, event.text, context)
    case 'tokens': {
      const messageId = takeReply(conversationId, event, context)
      return reportTokens(conversationId, { messageId, tokens: event.tokens }, context)
    }
  }
}

/** Shows a reply whose agent is known now. */
export function showReply(conversationId: string, reply: UnplacedReply, context: ClineContext): void {
  const { text, thinking, tokens, time, hasEnded } = reply
  const place = { conversationId, time }
  context.notes.removeEntry('replies', conversationId)
  if (thinking !== undefined) endText({ ...place, type: 'thinking' }, thinking, context)
  if (text !== undefined && hasEnded) endText({ ...place, type: 'assistant_text' }, text, context)
  else if (text !== undefined) addText({ ...place, type: 'assistant_text' }, text, context)
  if (tokens) addToReply(conversationId, { type: 'tokens', tokens }, time, context)
}

/** Returns the conversation whose call begins: a hook has announced it. A call that the program refuses has no hook. */
function callerOf(memory: Memory<ClineContext>): string {
  const { announced, lastActor = MAIN } = memory.notes.values
  if ((announced.get(lastActor) ?? 0) > 0) return lastActor
  const [first] = announced.entries()
  return first?.[0] ?? onlyAsking(memory) ?? lastActor
}

function translateCall(
  id: string,
  event: Extract<AgentEvent, { readonly type: 'call' }>,
  time: string | undefined,
  context: ClineContext,
): void {
  const count = context.notes.values.announced.get(id) ?? 0
  if (count > 1) context.notes.setEntry('announced', id, count - 1)
  else if (count === 1) context.notes.removeEntry('announced', id)
  context.notes.remember({ lastActor: id })
  const conversationId = knownConversation(event, context.state) ?? id
  const callId = idOfStart({ conversationId, callId: event.id, time }, context)
  if (knownConversation({ ...event, id: callId }, context.state) !== undefined) return
  startCall(id, { ...event, id: callId, messageId: takeReply(id, event, context), time }, context)
}

/** Returns the conversation that has the call. A call of an agent may have the id of the call that started the agent. */
function knownConversation(
  { id, name }: Pick<Extract<AgentEvent, { readonly type: 'call' }>, 'id' | 'name'>,
  state: SessionLookups,
): string | undefined {
  const known = state.conversationOfCall(id)
  const isOfAgent = state.agentOfCall(id)?.parentConversationId === known && !cline.tools.agent.includes(name)
  if (!isOfAgent) return known
  return state.findBlock(id, id) ? id : undefined
}

function translateResult(
  named: string | undefined,
  { id: callId, name, output: result, durationMs }: Extract<AgentEvent, { readonly type: 'result' }>,
  time: string | undefined,
  context: ClineContext,
): void {
  const conversationId = knownConversation({ id: callId, name }, context.state) ?? named ?? callerOf(context)
  context.notes.remember({ lastActor: conversationId })
  const id = idAt({ conversationId, callId, time }, context.state)
  endCall(conversationId, { id, name, result, durationMs, time }, context)
}

/** Translates the words of an agent's end, or an error. The line after a hook is of the same agent. */
function translateOutcome(
  id: string,
  event: Extract<AgentEvent, { readonly type: 'done' | 'error' }>,
  time: string | undefined,
  context: ClineContext,
): void {
  if (event.type === 'done') {
    const outcome = outcomeOf(event.reason)
    if (id !== MAIN) return endAgent(id, { isError: outcome !== 'finished', output: event.text }, context)
    if (context.state.turn.status === 'running') context.turn.answer({ outcome, timestamp: time })
    return
  }
  // An error of an agent comes again after a reconnect, and names no agent: the state ends with it.
  const isKnown = context.notes.values.covered.entries().some(([, last]) => last === time)
  if (!event.isFatal || isKnown || isInFile(id, time, context.notes.values)) return
  const { message } = event
  const errorId = `${takeReply(id, { type: 'call' }, context)}:error`
  context.notes.removeEntry('replies', id)
  show(id, errorBlock({ id: errorId, message, timestamp: time }), context)
  if (id !== MAIN) endAgent(id, { isError: true, output: message, timestamp: time }, context)
  else context.turn.answer({ outcome: 'failed', error: message, timestamp: time })
}

function translateTeamEvent(event: TeamEvent, time: string | undefined, context: ClineContext): void {
  if (event.type === 'spawned') return context.notes.setEntry('teammates', event.runtimeId, event.name)
  if (event.type === 'ignored') return
  const run = runOfTeammate(event.name, context.state)
  if (run !== undefined)
    endAgent(run, { isError: event.isError, output: event.text, timestamp: time }, context)
}

function translateEnd(
  { reason, text, model, time }: Extract<ClineLine, { readonly type: 'end' }>,
  output: SessionOutput,
): void {
  output.updateFacts(omitUndefined({ model }))
  const outcome = outcomeOf(reason)
  if (outcome === 'interrupted') endStopped(time, output)
  else output.turn.end({ outcome, error: outcome === 'failed' ? text : undefined, timestamp: time })
}

const OUTCOMES: ReadonlyMap<string, NonNullable<TurnEnd['outcome']>> = /* @__PURE__ */ new Map([
  ['error', 'failed'],
  ['failed', 'failed'],
  ['aborted', 'interrupted'],
  ['cancelled', 'interrupted'],
  ['interrupted', 'interrupted'],
])

/** Returns how a turn or an agent has ended, in the program's words. */
export function outcomeOf(reason: string): NonNullable<TurnEnd['outcome']> {
  return OUTCOMES.get(reason) ?? 'finished'
}

/** Ends main's turn because the person has stopped it. */
function endStopped(timestamp: string | undefined, output: SessionOutput): void {
  const id = `${output.state.blocksOf(MAIN).at(-1)?.id ?? MAIN}:interruption`
  show(MAIN, noteBlock({ id, subtype: 'interruption', message: 'Interrupted', timestamp }), output)
  output.turn.end({ outcome: 'interrupted', timestamp })
}

/** Begins main's turn with a prompt, which ends everything that an earlier turn has left. */
export function beginTurn(timestamp: string | undefined, context: ClineContext): void {
  endAbandonedTurn(timestamp, context)
  context.turn.begin(timestamp)
}

/** Ends main's turn as the facts beside a session state it. They are written after the messages. */
export function endByIndex(status: string, timestamp: string | undefined, context: ClineContext): void {
  if (context.state.turn.status !== 'running' || status === 'running') return
  const last = context.state.blocksOf(MAIN).at(-1)
  if (outcomeOf(status) === 'interrupted') endStopped(timestamp, context)
  else if (last?.type === 'assistant_text')
    context.turn.end(context.notes.values.answer ?? { outcome: 'finished', timestamp: last.timestamp })
}
