import { isSameList } from '../../../selectors/memoize.ts'
import type { ConversationBlock } from '../../../state/block.ts'
import type { Branch, MessageUsage, SubagentState } from '../../../state/session.ts'
import type { Todo } from '../../../state/todo.ts'
import type { AgentOutput, SessionUIMessage } from '../messages/ui-message.ts'
import { type BlockChanges, blockChanges } from './block-changes.ts'
import { type Entry, viewEntries } from './entries.ts'
import { type MessageSpan, messageSpans } from './message-spans.ts'
import { type MessageView, viewMessage } from './message-view.ts'
import { type Responses, responsesOf } from './responses.ts'
import { indexThread, type ThreadIndex } from './thread-index.ts'
import { touchedPlaces } from './touched-places.ts'
import { type Unplaced, viewUnplaced } from './unplaced.ts'

/** A conversation, and the agents that it started. */
interface ThreadFacts {
  readonly conversationId: string
  readonly blocks: readonly ConversationBlock[]
  readonly usage: readonly MessageUsage[]
  readonly todos: readonly Todo[] | undefined
  readonly agents: readonly AgentView[]
  /** The parts of the conversation that the person abandoned. Undefined in such a part itself. */
  readonly branches: readonly Branch[] | undefined
}

/** An agent as the part of its call shows it. */
export interface AgentView {
  readonly agent: SubagentState
  readonly thread: ThreadView
  readonly output: AgentOutput
}

/** The messages of a conversation, with everything that makes them quick to update. */
export interface ThreadView {
  readonly facts: ThreadFacts
  readonly views: readonly MessageView[]
  /** The parts of each block. */
  readonly entries: readonly Entry[]
  /** The tokens of each message, by its number. */
  readonly responses: Responses
  readonly branches: readonly BranchView[]
  readonly unplaced: Unplaced | undefined
  /** The messages of the views, and then the one of everything that has no place in them. */
  readonly messages: readonly SessionUIMessage[]
}

/** A part of the conversation that the person abandoned. */
export interface BranchView {
  readonly id: string
  readonly thread: ThreadView
}

/** The known view of a conversation, and the steps to the next one. */
export interface ThreadUpdate {
  readonly known: ThreadView
  readonly facts: ThreadFacts
  readonly changes: BlockChanges
  readonly spans: readonly (MessageSpan | MessageView)[]
  readonly index: ThreadIndex
  readonly branches: readonly BranchView[]
}

const NOTHING: ThreadView = {
  facts: { conversationId: '', blocks: [], usage: [], todos: undefined, agents: [], branches: undefined },
  views: [],
  entries: [],
  responses: [],
  branches: [],
  unplaced: undefined,
  messages: [],
}

/** Returns the messages of a conversation. Messages that do not change stay the same objects. */
export function viewThread(facts: ThreadFacts, known: ThreadView = NOTHING): ThreadView {
  if (isSameThread(known.facts, facts)) return known
  const { conversationId, blocks } = facts
  const changes = blockChanges(known.facts.blocks, blocks)
  const { kept } = changes
  const spans = messageSpans(conversationId, blocks, { known: known.views, kept })
  const index = indexThread(blocks, spans, { known: known.facts.blocks, kept })
  const branches = viewBranches(facts, known.branches)
  const update: ThreadUpdate = { known, facts, changes, spans, index, branches }
  const responses = responsesOf(update)
  const { entries, firsts } = viewEntries(update, touchedPlaces(update))
  const lastAnswer = spans.findLastIndex(({ role }) => role === 'assistant')
  const views = spans.map((span, at) =>
    viewMessage(span, known.views[at], {
      conversationId,
      responses: responses[at],
      todos: at === lastAnswer ? facts.todos : undefined,
      entries,
      knownEntries: known.entries,
      first: firsts.get(at),
    }),
  )
  const unplaced = viewUnplaced(update)
  const own = views.map(({ message }) => message)
  const all = unplaced ? [...own, unplaced.message] : own
  const messages = isSameList(known.messages, all) ? known.messages : all
  return { facts, views, entries, responses, branches, unplaced, messages }
}

function isSameThread(left: ThreadFacts, right: ThreadFacts): boolean {
  return (
    left.blocks === right.blocks &&
    left.usage === right.usage &&
    left.todos === right.todos &&
    left.branches === right.branches &&
    isSameList(left.agents, right.agents)
  )
}

function viewBranches(
  { branches = [], ...facts }: ThreadFacts,
  known: readonly BranchView[],
): readonly BranchView[] {
  const views = branches.map(({ id, blocks }, at) => {
    const before = known[at]
    const thread = viewThread({ ...facts, blocks, todos: undefined, branches: undefined }, before?.thread)
    return thread === before?.thread ? before : { id, thread }
  })
  return isSameList(views, known) ? known : views
}
