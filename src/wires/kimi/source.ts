import { omitUndefined } from '../../core/json/fields.ts'
import { asFiniteNumber, asObject, asString, isObject, type JsonObject } from '../../core/json/values.ts'
import {
  type BlockOf,
  type ConversationBlock,
  isModelText,
  isPrompt,
  isRewindMark,
  messageIdOf,
  toolResultBlockId,
} from '../../core/state/block.ts'
import { type ConversationThread, MAIN, type SessionConversationState } from '../../core/state/session.ts'
import { kimi } from '../../programs/kimi/program.ts'
import { outputText } from '../../programs/kimi/results.ts'
import { type InputEnd, type Memory, type SessionOutput, typeName } from '../../reading/context.ts'
import { defineSource } from '../../reading/define-source.ts'
import type { Source } from '../../reading/source.ts'
import { abandonFrom } from '../kit/abandon.ts'
import { compactionBlocks, show } from '../kit/blocks.ts'
import { unwrapLogLine } from '../kit/lines.ts'
import { NO_PLACE } from '../kit/resumed-text.ts'
import { noteReusedIds } from '../kit/reused-ids.ts'
import { endAgent, endTask, linkByPrompt, linkByResult, spawnAgent, startUnlinkedAgent } from './agents.ts'
import {
  endCall,
  extendCall,
  noteExitCode,
  noteFile,
  readCallResult,
  readModelMessage,
  readStore,
  readTrackedFile,
  startCall,
} from './calls.ts'
import { kimiRules } from './format.ts'
import { isConnectionMessage, isSessionState, type KimiEvent, readEvent, sessionState } from './messages.ts'
import { KimiContext, NOTES } from './notes.ts'
import { beginTurn, endTurn, readMessages } from './prompts.ts'
import { answerRequest, showRequest } from './requests.ts'
import {
  appendDelta,
  beginStep,
  endStep,
  readProfile,
  readRequest,
  readStatus,
  readUsage,
  showPart,
  showRetry,
} from './steps.ts'
import { placeAfter, translateLine } from './stream.ts'
import { agentsInOrder } from './waiting.ts'

/** Moves the turns that the person has taken back to a branch. A repeated event finds no such turn any more. */
function takeTurnsBack({ fields, time }: KimiEvent, conversationId: string, context: KimiContext): void {
  const from = asFiniteNumber(fields.fromTurnId)
  const blocks = context.state.blocksOf(MAIN)
  if (
    conversationId !== MAIN ||
    blocks.some((block) => isRewindMark(block) && asObject(block.data).fromTurnId === from)
  )
    return
  const known = from === undefined ? undefined : context.notes.values.turnPrompts.get(String(from))
  const index =
    known === undefined ? firstOfLast(blocks, fields.turns) : blocks.findIndex(({ id }) => id === known)
  const first = blocks[index]
  if (!first) return
  const data = { turns: fields.turns, fromTurnId: from }
  abandonFrom(index, { id: `rewind:${first.id}`, data, timestamp: time }, context)
}

/** Returns the place of the first of the last prompts. A state alone does not show the numbers of turns. */
function firstOfLast(blocks: readonly ConversationBlock[], turns: unknown): number {
  const prompts = blocks.flatMap((block, index) => (isPrompt(block) ? [index] : []))
  return prompts.at(-Math.max(1, asFiniteNumber(turns) ?? 1)) ?? -1
}

/** Shows that the conversation was summed up, and the summary. Its time is its id, or else the step before it. */
function showCompaction({ fields, time }: KimiEvent, conversationId: string, context: KimiContext): void {
  const id = `compaction:${time ?? context.notes.values.steps.get(conversationId)?.id ?? 'start'}`
  const compaction = { id, summary: asString(fields.summary), timestamp: time }
  for (const block of compactionBlocks(compaction)) show(conversationId, block, context)
}

/** Makes the notes that are needed to go on from a state. The state does not have the numbers of turns. */
function open(state: SessionConversationState, memory: Memory<KimiContext>): void {
  noteReusedIds(state, memory.notes)
  const streamPlace = placeAfter(state.blocks)
  if (streamPlace) memory.notes.remember({ streamPlace })
  else if (state.blocks.length > 0) memory.notes.remember({ repeatedTo: '' })
  openThread(MAIN, state, memory)
  for (const agent of state.subagents) openThread(agent.toolUseId, agent, memory)
}

function openThread(
  conversationId: string,
  { blocks, usage }: ConversationThread,
  memory: Memory<KimiContext>,
): void {
  const model = usage.at(-1)?.model
  if (model !== undefined) memory.notes.setEntry('models', conversationId, model)
  const last = blocks.findLast((block) => messageIdOf(block) !== undefined)
  const stepId = last && messageIdOf(last)
  if (stepId !== undefined)
    memory.notes.setEntry(
      'steps',
      conversationId,
      omitUndefined({ id: stepId, time: last?.timestamp, isResumed: true }),
    )
  if (last && isModelText(last) && last.status === 'pending')
    memory.notes.setEntry('textPlaces', conversationId, NO_PLACE)
  for (const block of blocks) if (block.type === 'tool_use') openCall(block, memory)
}

function openCall(call: BlockOf<'tool_use'>, memory: Memory<KimiContext>): void {
  const { conversationId, toolUseId } = call
  const result = memory.state.findBlock(conversationId, toolResultBlockId(toolUseId))
  if (result?.type === 'tool_result' && !result.isError) noteFile(call, outputText(result.output), memory)
}

/** Reads three forms of a Kimi Code session: the files of its agents, the events of `kimi web`, and `-p --output-format stream-json`. */
export const kimiSource: Source = /* @__PURE__ */ defineSource({
  transcripts: kimiRules,
  notes: NOTES,
  begin: (session) => new KimiContext(session),
  translate,
  end,
  open,
})

type Translate = (event: KimiEvent, conversationId: string, context: KimiContext) => void

/** The translation of an event by its type. The server's types have those of the files. */
const TRANSLATIONS: ReadonlyMap<string, Translate> = /* @__PURE__ */ new Map<string, Translate>([
  ['turn.prompt', beginTurn],
  ['turn.ended', endTurn],
  ['context.append_message', readMessages],
  ['context.spliced', readMessages],
  ['agent.message.appended', readModelMessage],
  ['step.begin', beginStep],
  ['step.end', endStep],
  ['turn.step.interrupted', endStep],
  ['turn.step.retrying', showRetry],
  ['content.part', showPart],
  ['assistant.delta', appendDelta],
  ['thinking.delta', appendDelta],
  ['usage.record', readUsage],
  ['llm.request', readRequest],
  ['agent.status.updated', readStatus],
  ['profile.bind', readProfile],
  ['tool.call.delta', extendCall],
  ['tool.call', startCall],
  ['tool.result', endCall],
  ['tools.update_store', readStore],
  ['file_history.tracked', readTrackedFile],
  ['subagent.spawned', spawnAgent],
  ['subagent.completed', endAgent],
  ['subagent.failed', endAgent],
  ['subagent.cancelled', endAgent],
  ['task.terminated', readTask],
  ['interaction.request', showRequest],
  ['interaction.resolved', answerRequest],
  ['context.undone', takeTurnsBack],
  ['context.apply_compaction', showCompaction],
])

/** The types that add nothing to a conversation, or repeat what another event says. */
const IGNORED_TYPES = new Set(
  `metadata runtime.set_binding permission.set_mode permission.record_approval_result config.update
  plugin.session_start mcp.tools_discovered llm.tools_snapshot forked
  agent.created agent.switched agent.turn.started agent.turn.ended session.meta.updated event.session.work_changed
  prompt.submitted prompt.queued prompt.started prompt.completed prompt.aborted prompt.steered turn.steer turn.cancel
  context.undo full_compaction.begin full_compaction.complete file_history.checkpoint
  token_counting.measured token_counting.rebased token_counting.truncated token_counting.turn_recorded
  subagent.started task.started tool.progress plan.revision plan_mode.enter plan_mode.cancel plan_mode.exit
  swarm_mode.enter swarm_mode.exit`.split(/\s+/),
)

function translate(message: unknown, context: KimiContext): void {
  const read = context.read(message)
  if (!isObject(read)) return context.reportUnknown('unknown-message', 'no object')
  translateMessage(unwrapLogLine(read), context)
  context.nameSession({ program: kimi.names[0] })
}

function translateMessage(message: JsonObject, context: KimiContext): void {
  if (isConnectionMessage(message)) return
  if (isSessionState(message)) {
    const { id, cwd } = sessionState(message)
    return context.addMissingFacts({ id: asString(id), cwd: asString(cwd) })
  }
  const event = message.role === undefined ? readEvent(message) : undefined
  if (!event) {
    if (!translateLine(message, context)) reportUnknown(message, context)
  } else if (TRANSLATIONS.has(event.type)) {
    translateEvent(event, context)
  } else if (!IGNORED_TYPES.has(event.type)) reportUnknown(event.fields, context)
}

function reportUnknown({ type, role }: JsonObject, output: SessionOutput): void {
  output.reportUnknown('unknown-message', typeName(type ?? role))
}

function translateEvent(event: KimiEvent, context: KimiContext): void {
  const { agentId, sessionId } = event
  if (sessionId !== undefined && sessionId !== '') {
    if (context.state.facts.id !== undefined && context.state.facts.id !== sessionId)
      return context.reportUnknown('other-session', event.type)
    context.addMissingFacts({ id: sessionId })
    if (!context.notes.values.isLive) context.notes.remember({ isLive: true })
  }
  const conversationId = context.conversationOf(agentId)
  if (conversationId === undefined) {
    if (!FACTS_OF_MAIN.has(event.type)) {
      context.notes.buffer('buffered', agentId, event)
      context.waiting.note(agentId, event, context.notes.values.buffered)
    }
    if (event.type === 'step.begin') linkByPrompt(agentId, context)
    return readLinked(context)
  }
  linkNamedAgent(event, conversationId, context)
  TRANSLATIONS.get(event.type)?.(event, conversationId, context)
  if (context.notes.values.repeatedTo === undefined && conversationId === MAIN)
    context.notes.remember({ repeatedTo: '' })
  readLinked(context)
}

/** The types that state facts of the session. An agent has none. */
const FACTS_OF_MAIN: ReadonlySet<string> = /* @__PURE__ */ new Set(['profile.bind', 'agent.status.updated'])

/** Reads the events of the agents that are linked now. */
function readLinked(context: KimiContext): void {
  const events = context.linked
    .splice(0)
    .flatMap((agentId) => context.notes.takeBuffered('buffered', agentId))
  for (const event of events) translateEvent(event, context)
}

/** Links the agent that a result names, and reads its events before the result ends it. */
function linkNamedAgent(event: KimiEvent, conversationId: string, context: KimiContext): void {
  const result = event.type === 'tool.result' ? readCallResult(event, conversationId, context) : undefined
  if (!result) return
  linkByResult(conversationId, { toolUseId: result.toolUseId, text: outputText(result.output) }, context)
  readLinked(context)
}

function readTask({ fields }: KimiEvent, conversationId: string, context: KimiContext): void {
  const info = asObject(fields.info)
  if (info.kind === 'agent') endTask(info, fields.outputTail, context)
  else noteExitCode(conversationId, info, context)
}

function end(context: KimiContext): InputEnd {
  const unplaced: string[] = []
  for (const agentId of agentsInOrder(context.notes.values.buffered)) {
    if (startUnlinkedAgent(agentId, context)) unplaced.push(agentId)
    // The events of an agent may start the next one.
    readLinked(context)
  }
  context.nameSession({ program: kimi.names[0] })
  return context.endInput({ mayWait: !context.notes.values.isLive, unplaced })
}
