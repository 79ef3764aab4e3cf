import { isSameList } from '../../../selectors/memoize.ts'
import type { ConversationBlock } from '../../../state/block.ts'
import type { Branch, MessageUsage, SubagentState } from '../../../state/session.ts'
import type { Todo } from '../../../state/todo.ts'
import type { AgentOutput, SessionUIMessage } from '../messages/ui-message.ts'
import { type Responses, responsesOf } from './responses.ts'
import { splitTurns } from './split-turns.ts'
import { type IndexedTurn, ThreadLookup } from './thread-lookup.ts'
import { indexTurn } from './turn-index.ts'
import { type TurnView, viewTurn } from './turn-view.ts'
import { type Unplaced, viewUnplaced } from './unplaced.ts'

/** A conversation, and the agents that it started. */
export interface ThreadFacts {
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
  readonly turns: readonly TurnView[]
  readonly responses: Responses
  readonly branches: readonly BranchView[]
  readonly unplaced: Unplaced | undefined
  /** The messages of the turns, and then the one of everything that has no place in them. */
  readonly messages: readonly SessionUIMessage[]
}

/** A part of the conversation that the person abandoned. */
export interface BranchView {
  readonly id: string
  readonly thread: ThreadView
}

/** Returns the messages of a conversation. Messages that do not change stay the same objects. */
export function viewThread(facts: ThreadFacts, known: ThreadView | undefined): ThreadView {
  if (known && isSameThread(known.facts, facts)) return known
  const before = known?.turns ?? []
  const indexed = splitTurns(facts.conversationId, facts.blocks, before).map((turn, at): IndexedTurn => {
    const previous = before[at]
    return 'index' in turn ? turn : { ...turn, index: indexTurn(turn.blocks, previous?.index) }
  })
  const branches = viewBranches(facts, known?.branches ?? [])
  const responses = responsesOf(facts.usage, indexed, {
    known: known?.responses,
    hasStrays: facts.branches !== undefined,
  })
  const lookup = new ThreadLookup(facts, indexed, branches)
  const turns = viewTurns(facts, { indexed, before, lookup, responses })
  const unplaced = viewUnplaced(facts, lookup, known?.unplaced)
  const own = turns.map(({ message }) => message)
  const all = unplaced ? [...own, unplaced.message] : own
  const messages = known && isSameList(known.messages, all) ? known.messages : all
  return { facts, turns, responses, branches, unplaced, messages }
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

function viewTurns(
  { conversationId, todos }: ThreadFacts,
  {
    indexed,
    before,
    lookup,
    responses,
  }: {
    readonly indexed: readonly IndexedTurn[]
    readonly before: readonly TurnView[]
    readonly lookup: ThreadLookup
    readonly responses: Responses
  },
): readonly TurnView[] {
  const lastAnswer = indexed.findLastIndex(({ prompt }) => !prompt)
  return indexed.map((turn, at) =>
    viewTurn({ ...turn, outside: lookup.outside(turn) }, before[at], {
      context: lookup.contextOf(turn),
      facts: {
        conversationId,
        responses: responses.byTurn[at] ?? [],
        todos: at === lastAnswer ? todos : undefined,
      },
    }),
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
