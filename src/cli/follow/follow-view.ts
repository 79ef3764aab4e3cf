import { findConversation, findSubagent } from '../../core/selectors/find.ts'
import { pendingRequests } from '../../core/selectors/requests.ts'
import { STATUS_WORDS, sessionStatus } from '../../core/selectors/status.ts'
import { factsOfAgent, factsOfBlock, walkConversation } from '../../core/selectors/walk.ts'
import {
  createInitialConversationState,
  MAIN,
  type SessionConversationState,
  type SubagentState,
} from '../../core/state/session.ts'
import { isFinal } from '../../core/state/subagent.ts'
import { agentTitle, missingOutput } from '../../sinks/markdown/agent.ts'
import { formatDuration } from '../../sinks/markdown/text/values.ts'
import { callLines } from '../show/call.ts'
import { agentLines, conversationLines, isCompact, stepLines } from '../show/conversation.ts'
import { headLines } from '../show/head.ts'
import { Margins } from '../show/margins.ts'
import { requestLines } from '../show/request.ts'
import { proseLines } from '../show/text-lines.ts'
import { createView, type View, type ViewOptions } from '../show/view.ts'
import { STATUS_COLOURS } from '../terminal/style.ts'
import { hang, MEASURE, wrapColumns, wrapWords } from '../terminal/wrap.ts'
import { FinalBlocks, tailLines } from './tail.ts'

/** The statuses after which nothing follows until the next prompt. */
const ENDED: ReadonlySet<string> = new Set(['finished', 'interrupted', 'failed'])

/** Prints a growing session: each part once, when it is final. */
export class FollowView {
  readonly #options: ViewOptions
  readonly #blocks = new FinalBlocks()
  readonly #ended = new Set<string>()
  readonly #requests = new Set<string>()
  #margins: Margins | undefined
  #conversationId: string = MAIN
  #endedAs: string | undefined
  #last: SessionConversationState | undefined

  constructor(options: ViewOptions) {
    this.#options = options
  }

  /** Returns the lines that are new in a state. The first state gives the session so far, as `agentfold show` prints it. */
  lines(state: SessionConversationState): readonly string[] {
    const view = createView(this.#options, state.session.cwd)
    if (state === this.#last) return []
    this.#last = state
    const fresh = this.#blocks.take(state)
    const margins = this.#margins
    if (!margins && isEmpty(state)) return []
    if (margins) return [...this.#news(view, state, { fresh, margins }), ...this.#status(view, state)]
    this.#margins = new Margins(view, this.#options.columns)
    this.#margins.close()
    for (const { toolUseId, status } of state.subagents) if (isFinal(status)) this.#ended.add(toolUseId)
    const { columns } = this.#options
    return [
      ...headLines(view, state, Math.min(MEASURE, columns)),
      '',
      ...conversationLines(view, fresh, { conversationId: MAIN, columns }),
      ...this.#requestLines(view, state, this.#margins),
      ...this.#status(view, state),
    ]
  }

  /** Returns the lines about what happens at the moment, for the bottom of a terminal. */
  tail(state: SessionConversationState): readonly string[] {
    return tailLines(createView(this.#options, state.session.cwd), state, this.#options.columns)
  }

  *#news(
    view: View,
    state: SessionConversationState,
    { fresh, margins }: { readonly fresh: SessionConversationState; readonly margins: Margins },
  ): Generator<string, void> {
    yield* this.#thread(view, fresh, { margins, id: MAIN, depth: 0 })
    const parents = new Map(state.subagents.map((each) => [each.toolUseId, each.parentConversationId]))
    for (const agent of fresh.subagents) {
      const depth = depthOf(agent.toolUseId, parents)
      yield* this.#thread(view, fresh, { margins, id: agent.toolUseId, depth })
      yield* this.#agentEnd(view, state, { margins, agent, depth })
    }
    yield* this.#requestLines(view, state, margins)
  }

  /** Yields the new blocks of one conversation. */
  *#thread(
    view: View,
    fresh: SessionConversationState,
    { margins, id, depth }: ThreadPlace,
  ): Generator<string, void> {
    const thread = findConversation(fresh, id)
    if (!thread || thread.blocks.length === 0) return
    // Its agents are conversations of their own here, and the blocks of an abandoned branch were printed when they
    // were new.
    const alone = { ...createInitialConversationState(), blocks: thread.blocks }
    for (const step of walkConversation(alone)) {
      yield* this.#enter(view, fresh, { margins, id, depth })
      if (step.type === 'agent-block') {
        const facts = factsOfBlock(step.block)
        yield* margins.part(agentLines(view, facts, { calls: 0, lineage: 'child' }, margins.width))
        continue
      }
      if (step.type === 'agent-end' || step.type === 'branch-end') continue
      const shown = step.type === 'block' ? { ...step, isMain: id === MAIN } : step
      yield* margins.part(stepLines(view, fresh, shown, margins), isCompact(step))
    }
  }

  /** Names the agent if the last lines were another's. */
  *#enter(
    { text, paint }: View,
    state: SessionConversationState,
    { margins, id, depth }: ThreadPlace,
  ): Generator<string, void> {
    margins.depth = depth
    if (this.#conversationId === id) return
    this.#conversationId = id
    const agent = state.subagents.find(({ toolUseId }) => toolUseId === id)
    if (!agent) return
    yield* margins.part(
      wrapWords(paint(`${text.short(agentTitle(agent))}:`, 'dim', 'underline'), margins.width),
    )
    margins.depth -= 1
    margins.open()
  }

  *#agentEnd(
    view: View,
    state: SessionConversationState,
    {
      margins,
      agent: fresh,
      depth,
    }: { readonly margins: Margins; readonly agent: SubagentState; readonly depth: number },
  ): Generator<string, void> {
    const id = fresh.toolUseId
    // Its blocks are all those that it has.
    const agent = findSubagent(state, id) ?? fresh
    if (!isFinal(agent.status)) {
      // An agent may be resumed, and ends again.
      this.#ended.delete(id)
      return
    }
    if (this.#ended.has(id)) return
    this.#ended.add(id)
    const { text, paint } = view
    const facts = factsOfAgent({ agent, block: undefined })
    const output = missingOutput(facts, agent.blocks)
    if (output !== '') {
      yield* this.#enter(view, state, { margins, id, depth })
      yield* margins.part(proseLines(view, output, margins.width))
    }
    margins.depth = Math.max(0, depth - 1)
    this.#conversationId = agent.parentConversationId ?? MAIN
    const time = agent.durationMs === undefined ? '' : ` · ${formatDuration(agent.durationMs)}`
    const words = `${paint(`Agent ${text.short(agent.name ?? '')}`.trim(), 'bold')} ${text.short(agent.description ?? '')}`
    const line = `${words.trim()} · ${paint(STATUS_WORDS[agent.status], STATUS_COLOURS[agent.status])}${time}`
    yield* margins.part(hang(paint('◇ ', STATUS_COLOURS[agent.status]), wrapWords(line, margins.width - 2)))
  }

  /** A request waits for the person, so it is printed before the blocks that wait with it, and shows all that would run. */
  *#requestLines(view: View, state: SessionConversationState, margins: Margins): Generator<string, void> {
    for (const { conversationId, block } of pendingRequests(state)) {
      const key = JSON.stringify([conversationId, block.id])
      if (this.#requests.has(key)) continue
      this.#requests.add(key)
      margins.depth = 0
      const call = findConversation(state, conversationId)?.blocks.find(
        (each) => each.type === 'tool_use' && each.toolUseId === block.toolUseId,
      )
      const exact = createView({ ...this.#options, isFull: true, showsControls: true }, state.session.cwd)
      yield* margins.part([
        ...(call?.type === 'tool_use'
          ? callLines(exact, { call, requests: [block] }, margins.width)
          : [
              ...requestLines(exact, block, margins.width),
              ...factLines(
                exact,
                findSubagent(state, block.toolUseId ?? '')?.prompt ?? block.data,
                margins.width,
              ),
            ]),
        view.paint(`  Answer in ${view.text.short(state.session.program ?? 'the program')}.`, 'dim'),
      ])
    }
  }

  /** Returns a line about the end of a turn. */
  #status({ text, paint }: View, state: SessionConversationState): readonly string[] {
    const status = sessionStatus(state)
    if (!ENDED.has(status)) {
      this.#endedAs = undefined
      return []
    }
    const { error, endedAt = '' } = state.turn
    const ended = `${status} ${endedAt}`
    if (this.#endedAs === ended) return []
    this.#endedAs = ended
    const reason = status === 'failed' && error !== undefined ? `: ${text.short(error, 300)}` : ''
    const width = Math.min(MEASURE, this.#options.columns)
    return [
      '',
      ...wrapWords(`── ${STATUS_WORDS[status]}${reason}`, width).map((line) =>
        paint(line, STATUS_COLOURS[status]),
      ),
    ]
  }
}

/** Returns the prompt of an agent that a request would start, or the facts of a request without a call. */
function factLines(view: View, facts: unknown, width: number): readonly string[] {
  if (facts === undefined) return []
  const words = typeof facts === 'string' ? view.text.redacted(facts) : view.text.json(facts)
  return wrapColumns(words.trimEnd(), width - 2).map((line) => `  ${line}`)
}

interface ThreadPlace {
  readonly margins: Margins
  readonly id: string
  readonly depth: number
}

function isEmpty({ blocks, subagents }: SessionConversationState): boolean {
  return blocks.length === 0 && subagents.length === 0
}

/** Returns the number of agents from main down to the agent. Bad data may be a circle. */
function depthOf(toolUseId: string, parents: ReadonlyMap<string, string | undefined>): number {
  const passed = new Set<string>()
  let id: string | undefined = toolUseId
  while (id !== undefined && id !== MAIN && !passed.has(id)) {
    passed.add(id)
    id = parents.get(id)
  }
  return passed.size
}
