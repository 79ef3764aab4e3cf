import { isEqual } from '../../../core/json/equal.ts'
import { omitUndefined } from '../../../core/json/fields.ts'
import { addToList } from '../../../core/json/lists.ts'
import { subagentPlaces } from '../../../core/selectors/forest.ts'
import { isSameList } from '../../../core/selectors/memoize.ts'
import type { ConversationBlock } from '../../../core/state/block.ts'
import {
  MAIN,
  type MessageUsage,
  type SessionConversationState,
  type SubagentState,
} from '../../../core/state/session.ts'
import type { Todo } from '../../../core/state/todo.ts'
import { agentWithoutCall } from '../messages/tool-part.ts'
import type { SessionUIMessage, SessionUIMetadata, SessionUIPart } from '../messages/ui-message.ts'
import { blockChanges, callIdOf, type MessageSpan, messageSpans } from './message-spans.ts'
import {
  type AgentView,
  type BlockParts,
  type BranchView,
  indexThread,
  type MessageView,
  type ThreadFacts,
  type ThreadUpdate,
  type ThreadView,
  type Unplaced,
} from './thread.ts'
import { viewBlockParts } from './thread-parts.ts'

/** The messages of all conversations of a state. */
export interface SessionView {
  readonly state: SessionConversationState
  readonly main: ThreadView
  /** In the order of the state. */
  readonly agents: readonly AgentView[]
  /** The agents that main started, and those whose parent is not known. */
  readonly roots: readonly AgentView[]
}

const NO_BRANCHES: readonly never[] = []

/** Returns the messages of a state. Messages that do not change stay the same objects as in the known view. */
export function viewSession(state: SessionConversationState, known: SessionView | undefined): SessionView {
  if (known?.state === state) return known
  const { agents, roots } = viewAgents(state, known)
  const { blocks, usage, todos, branches = NO_BRANCHES } = state
  const facts = { conversationId: MAIN, blocks, usage, todos, branches, agents: roots, end: endOf(state) }
  return { state, main: viewThread(facts, known?.main), agents, roots }
}

function endOf({ turn: { status, error } }: SessionConversationState): ThreadFacts['end'] {
  return status === 'failed' || status === 'interrupted'
    ? omitUndefined({ outcome: status, error })
    : undefined
}

function viewAgents(
  state: SessionConversationState,
  known: SessionView | undefined,
): Pick<SessionView, 'agents' | 'roots'> {
  const { subagents } = state
  if (known?.state.subagents === subagents) return known
  const before = new Map(known?.agents.map((view) => [view.agent.toolUseId, view]))
  const children = new Map<number | undefined, AgentView[]>()
  const agents: AgentView[] = []
  // Children before their parents, which show them.
  for (const { index, parent } of subagentPlaces(state).toReversed()) {
    const agent = subagents[index]
    if (!agent) continue
    const view = viewAgent(agent, children.get(index) ?? [], before.get(agent.toolUseId))
    agents[index] = view
    addToList(children, parent, view)
  }
  return { agents, roots: (children.get(undefined) ?? []).toReversed() }
}

function viewAgent(
  agent: SubagentState,
  children: readonly AgentView[],
  known: AgentView | undefined,
): AgentView {
  const agents = children.toReversed()
  if (known?.agent === agent && isSameList(known.thread.facts.agents, agents)) return known
  const { toolUseId: conversationId, blocks, usage, todos, status, agentId, output, durationMs } = agent
  const facts = { conversationId, blocks, usage, todos, branches: NO_BRANCHES, agents, end: undefined }
  const thread = viewThread(facts, known?.thread)
  const messages = [...thread.messages]
  return { agent, thread, output: omitUndefined({ status, agentId, output, durationMs, messages }) }
}

const NOTHING: ThreadView = {
  facts: {
    conversationId: '',
    blocks: [],
    usage: [],
    todos: undefined,
    agents: [],
    branches: undefined,
    end: undefined,
  },
  views: [],
  blockParts: [],
  responses: [],
  branches: [],
  unplaced: undefined,
  messages: [],
}

/** Returns the messages of a conversation. Messages that do not change stay the same objects. */
function viewThread(facts: ThreadFacts, known: ThreadView = NOTHING): ThreadView {
  if (isSameThread(known.facts, facts)) return known
  const { conversationId, blocks } = facts
  const changes = blockChanges(known.facts.blocks, blocks)
  const { kept } = changes
  const spans = messageSpans(conversationId, blocks, { known: known.views, kept })
  const index = indexThread(blocks, spans, { known: known.facts.blocks, kept })
  const branches = viewBranches(facts, known.branches)
  const update: ThreadUpdate = { known, facts, changes, spans, index, branches }
  const responses = responsesOf(update)
  const { blockParts, firsts } = viewBlockParts(update, touchedPlaces(update))
  const lastAnswer = spans.findLastIndex(({ role }) => role === 'assistant')
  const views = spans.map((span, at) =>
    viewMessage(span, known.views[at], {
      conversationId,
      responses: responses[at],
      todos: at === lastAnswer ? facts.todos : undefined,
      end: at === spans.length - 1 ? facts.end : undefined,
      blockParts,
      knownParts: known.blockParts,
      first: firsts.get(at),
    }),
  )
  const unplaced = viewUnplaced(update)
  const own = views.length === 0 ? emptyAnswer(facts, known) : views.map(({ message }) => message)
  const all = unplaced ? [...own, unplaced.message] : own
  const messages = isSameList(known.messages, all) ? known.messages : all
  return { facts, views, blockParts, responses, branches, unplaced, messages }
}

/** A program that fails at once leaves no block, so that a message of its own has the reason. */
function emptyAnswer({ conversationId, end }: ThreadFacts, known: ThreadView): readonly SessionUIMessage[] {
  if (end?.outcome !== 'failed') return []
  if (isEqual(known.facts.end, end) && known.views.length === 0) return known.messages.slice(0, 1)
  const id = `${conversationId}:answer`
  const providerMetadata = { agentfold: { blockId: id } }
  // The AI SDK refuses a message without a part.
  const parts: SessionUIPart[] = [{ type: 'text', text: '', state: 'done', providerMetadata }]
  return [{ id, role: 'assistant', metadata: { conversationId, ...end }, parts }]
}

function isSameThread(left: ThreadFacts, right: ThreadFacts): boolean {
  return (
    left.blocks === right.blocks &&
    left.usage === right.usage &&
    left.todos === right.todos &&
    left.branches === right.branches &&
    isEqual(left.end, right.end) &&
    isSameList(left.agents, right.agents)
  )
}

function viewBranches(
  { branches = [], ...facts }: ThreadFacts,
  known: readonly BranchView[],
): readonly BranchView[] {
  const views = branches.map(({ id, blocks }, at) => {
    const before = known[at]
    const own = { ...facts, blocks, todos: undefined, branches: undefined, end: undefined }
    const thread = viewThread(own, before?.thread)
    return thread === before?.thread ? before : { id, thread }
  })
  return isSameList(views, known) ? known : views
}

/**
 * Returns the tokens of each message by its number. A response without any block belongs to the message of the response
 * before it, or to the first answer.
 */
function responsesOf({ facts, known, changes, spans, index }: ThreadUpdate): ThreadView['responses'] {
  if (known.facts.usage === facts.usage && changes.isInPlace) return known.responses
  const byMessage: MessageUsage[][] = []
  let last = spans.findIndex(({ role }) => role === 'assistant')
  for (const entry of facts.usage) {
    const owner = index.messages.get(entry.messageId)?.at(-1)?.messageNumber
    last = owner ?? last
    // An abandoned branch shows its own responses alone.
    if (owner === undefined && !facts.branches) continue
    const own = byMessage[last]
    if (own) own.push(entry)
    else if (last >= 0) byMessage[last] = [entry]
  }
  return byMessage
}

/** Returns the places of the blocks whose parts may change, in order. */
function touchedPlaces({ facts, known, changes, branches, index }: ThreadUpdate): readonly number[] {
  const { blocks, agents } = facts
  const { kept, replaced } = changes
  const touched = new Set(replaced)
  // A branch is shown at its mark.
  if (branches !== known.branches)
    for (const [at, { type }] of blocks.entries()) if (type === 'system') touched.add(at)
  const changed = [
    ...replaced.flatMap((at) => blocks[at] ?? []),
    ...blocks.slice(kept),
    ...known.facts.blocks.slice(kept),
  ]
  const ids = [
    ...changed.map(callIdOf),
    ...changedAgentIds(agents, known.facts.agents),
    ...changedAgentIds(known.facts.agents, agents),
  ]
  for (const id of new Set(ids)) for (const { at } of index.calls.get(id) ?? []) touched.add(at)
  for (let at = kept; at < blocks.length; at += 1) touched.add(at)
  return [...touched].sort((left, right) => left - right)
}

/** Returns the ids of the agents whose place in the other list is another agent's. */
function changedAgentIds(agents: readonly AgentView[], others: readonly AgentView[]): readonly string[] {
  return agents.flatMap((view, at) => (view === others[at] ? [] : view.agent.toolUseId))
}

/** Returns the message of the agents whose call is not known, and of the abandoned branches whose mark is not known. */
function viewUnplaced({ facts, known, changes, branches, index }: ThreadUpdate): Unplaced | undefined {
  const { conversationId, blocks, agents } = facts
  const isUnchanged = changes.isInPlace && branches === known.branches && agents === known.facts.agents
  // An abandoned branch has the agents of its conversation.
  if (isUnchanged || !facts.branches) return known.unplaced
  const abandoned = branches.flatMap(({ thread }) => thread.facts.blocks)
  const views = [
    ...agents.filter(({ agent: { toolUseId } }) => {
      const isCall = (block: ConversationBlock | undefined) =>
        block?.type === 'subagent' && block.toolUseId === toolUseId
      return !index.calls.get(toolUseId)?.some(({ at }) => isCall(blocks[at])) && !abandoned.some(isCall)
    }),
    ...branches.filter(({ id }) => !blocks.some((block) => block.type === 'system' && block.id === id)),
  ]
  if (views.length === 0) return undefined
  if (known.unplaced && isSameList(known.unplaced.views, views)) return known.unplaced
  const id = `${conversationId}:unplaced`
  return { views, message: { id, role: 'assistant', metadata: { conversationId }, parts: views.map(partOf) } }
}

function partOf(view: AgentView | BranchView): SessionUIPart {
  if ('agent' in view) return agentWithoutCall(view.agent, view.output)
  return { type: 'data-branch', id: view.id, data: { messages: [...view.thread.messages] } }
}

/** The values that make a message, besides its place. */
interface MessageFacts {
  readonly conversationId: string
  readonly responses: MessageUsage[] | undefined
  readonly todos: readonly Todo[] | undefined
  readonly end: ThreadFacts['end']
  readonly blockParts: readonly BlockParts[]
  readonly knownParts: readonly BlockParts[]
  /** The place of the first block of the message whose parts may be new. */
  readonly first: number | undefined
}

/** Returns the view of a message. Its metadata and the message stay the same objects as long as nothing in them changes. */
function viewMessage(span: MessageSpan, known: MessageView | undefined, facts: MessageFacts): MessageView {
  const { id, role } = span
  const before = known?.message
  const isTouched = known !== span || facts.first !== undefined
  if (
    !isTouched &&
    isEqual(
      [before?.metadata.responses, before?.metadata.todos, before?.metadata.outcome, before?.metadata.error],
      [facts.responses, facts.todos, facts.end?.outcome, facts.end?.error],
    )
  )
    return known
  const parts = isTouched ? partsOf(span, known, facts) : known.message.parts
  const made = metadataOf(span, facts)
  const metadata = before && isEqual(before.metadata, made) ? before.metadata : made
  const isSame = before?.id === id && before.metadata === metadata && isSameList(before.parts, parts)
  return { ...span, message: isSame ? before : { id, role, metadata, parts } }
}

/** Copies the known parts, and replaces those from the first change on. */
function partsOf(
  { from, to }: MessageSpan,
  known: MessageView | undefined,
  { blockParts, knownParts, first = to }: MessageFacts,
): SessionUIPart[] {
  const isAligned = known?.from === from
  const parts = isAligned ? known.message.parts.slice() : []
  let count = parts.length
  if (isAligned) for (const entry of knownParts.slice(first, known.to)) count -= entry.parts.length
  for (const entry of blockParts.slice(isAligned ? first : from, to))
    for (const part of entry.parts) {
      parts[count] = part
      count += 1
    }
  parts.length = count
  return parts
}

function metadataOf(
  { role, from, startedAt, endedAt, model }: MessageSpan,
  { conversationId, responses, todos, end, blockParts }: MessageFacts,
): SessionUIMetadata {
  const block = blockParts[from]?.block
  const prompt = role === 'user' && block?.type === 'user_message' ? block : undefined
  return omitUndefined({
    conversationId,
    startedAt,
    endedAt,
    model,
    responses,
    todos: todos && [...todos],
    ...end,
    checkpoint: prompt?.checkpoint,
    changes: prompt?.changes && [...prompt.changes],
  })
}
