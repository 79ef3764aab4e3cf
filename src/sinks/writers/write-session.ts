import { omitUndefined } from '../../core/json/fields.ts'
import { addToList } from '../../core/json/lists.ts'
import { asObject } from '../../core/json/values.ts'
import { findSubagent } from '../../core/selectors/find.ts'
import { type ConversationBlock, subagentBlockId } from '../../core/state/block.ts'
import {
  type ConversationThread,
  hasStateParts,
  MAIN,
  type SessionConversationState,
  type SubagentState,
} from '../../core/state/session.ts'
import { isFinal } from '../../core/state/subagent.ts'
import { type Loss, LossCounter } from '../plan/losses.ts'
import { showsPrompt } from '../plan/plan.ts'
import { withLastText } from '../plan/plan-call.ts'
import { planSession } from '../plan/plan-thread.ts'
import { UnknownAgentError, WriteError } from './target.ts'
import { targetOf } from './targets/all.ts'

/** The program that goes on, and where. */
export interface WriteOptions {
  /** The name of the program that goes on, such as `claude-code` or `codex`. */
  readonly program: string
  /** The absolute path of the folder in which it goes on. Without it, that of the session. */
  readonly cwd?: string
  /**
   * The model that the program should name as the last one. OpenCode goes on with it, as `provider/model`, and Kimi
   * Code, as its alias. Without it, that of the session.
   */
  readonly model?: string
  /** Either id of a subagent, whose conversation becomes the session, with the agents below it. Without it, main's. */
  readonly agent?: string
}

/** A session as another program stores it. */
export interface WrittenSession {
  /**
   * The texts by their path, which uses `/`: in the program's folder of sessions, or anywhere if the program imports
   * the file. The last one is main's.
   */
  readonly files: Readonly<Record<string, string>>
  /** The program has a database, and imports the file. */
  readonly isImported?: true
  /** The commands that resume the session, in order and by their words. A word that is the path of a file stands for the whole path. */
  readonly commands: readonly (readonly string[])[]
  /** The content of the state that the files lack. */
  readonly losses: readonly Loss[]
}

/**
 * Returns the files with which a program resumes a session that another one made. The ids are new, and the same state
 * gives the same files. Throws a `WriteError` for a program whose sessions cannot be written, without a folder, and for
 * a wrong argument. It is an `UnknownAgentError` for an `agent` that the session does not have.
 */
export function writeSession(session: SessionConversationState, options: WriteOptions): WrittenSession {
  const target = targetOf(asObject(options).program)
  if (!hasStateParts(session))
    throw new WriteError('invalid-value', 'session', 'session: pass the state of a session')
  const state = options.agent === undefined ? session : stateOfAgent(session, options.agent)
  const cwd = options.cwd ?? state.session.cwd
  if (typeof cwd !== 'string' || cwd === '')
    throw new WriteError('invalid-value', 'cwd', 'cwd: pass the folder in which the program goes on')
  const losses = new LossCounter()
  const { model } = options
  if (model !== undefined && (typeof model !== 'string' || model === ''))
    throw new WriteError('invalid-value', 'model', 'model: pass a name, or leave it out')
  const { plan, ids } = planSession(state, { destination: target, cwd, losses, model })
  const { thread, ...facts } = plan
  const files = new Map<string, string>()
  const commands = target.write(thread, { ...facts, ids, losses, chosenModel: model, files })
  const { isImported } = target
  return omitUndefined({ files: Object.fromEntries(files), isImported, commands, losses: losses.list() })
}

/**
 * Returns the session as it was when a block of it was the last one; undefined if no conversation has the block. An
 * agent that was called earlier is as it was at its end. If the block is in an agent's conversation, that agent and
 * those above it still run. The plan, the tokens and the branches of that time are unknown.
 */
export function stateAt(
  state: SessionConversationState,
  blockId: string,
): SessionConversationState | undefined {
  const cuts = cutsFor(state, blockId)
  if (!cuts) return undefined
  const subagents: SubagentState[] = []
  const blocks = keptBlocks(state, cuts.get(MAIN))
  keepAgents(blocks, {
    agents: new Map(state.subagents.map((each) => [each.toolUseId, each])),
    cuts,
    subagents,
  })
  return { blocks, usage: [], turn: { status: 'interrupted' }, subagents, session: state.session }
}

/** Returns the last block of each conversation that is cut. */
function cutsFor(state: SessionConversationState, blockId: string): ReadonlyMap<string, string> | undefined {
  const has = ({ blocks }: ConversationThread) => blocks.some(({ id }) => id === blockId)
  if (has(state)) return new Map([[MAIN, blockId]])
  const cuts = new Map<string, string>()
  let agent = state.subagents.find(has)
  for (let last = blockId; agent && !cuts.has(agent.toolUseId); ) {
    cuts.set(agent.toolUseId, last)
    last = subagentBlockId(agent.toolUseId)
    const parent: string = agent.parentConversationId ?? MAIN
    if (parent === MAIN) return cuts.set(MAIN, last)
    agent = state.subagents.find(({ toolUseId }) => toolUseId === parent)
  }
  return undefined
}

function keptBlocks({ blocks }: ConversationThread, last: string | undefined): readonly ConversationBlock[] {
  return last === undefined ? blocks : blocks.slice(0, blocks.findIndex(({ id }) => id === last) + 1)
}

interface AgentCut {
  /** The agents that no conversation has called yet. */
  readonly agents: Map<string, SubagentState>
  readonly cuts: ReadonlyMap<string, string>
  readonly subagents: SubagentState[]
}

/** Keeps the agents whose calls are among the blocks, and the agents that those have called. */
function keepAgents(blocks: readonly ConversationBlock[], cut: AgentCut): void {
  for (const block of blocks) {
    const agent = block.type === 'subagent' ? cut.agents.get(block.toolUseId) : undefined
    if (!agent) continue
    cut.agents.delete(agent.toolUseId)
    const kept = agentAt(agent, cut.cuts.get(agent.toolUseId))
    cut.subagents.push(kept)
    keepAgents(kept.blocks, cut)
  }
}

function agentAt(agent: SubagentState, last: string | undefined): SubagentState {
  if (last === undefined) return agent
  const { output: _, durationMs: __, todos: ___, openBlocks: ____, ...rest } = agent
  return omitUndefined({ ...rest, status: 'running', blocks: keptBlocks(agent, last), usage: [] })
}

/**
 * Returns the session of an agent alone: its conversation is main's, and the agents below it are all that there are.
 * `agent` is either id of a subagent. Throws an `UnknownAgentError` if the session has none with that id.
 */
export function stateOfAgent(state: SessionConversationState, agent: string): SessionConversationState {
  const found = findSubagent(state, agent)
  if (!found) throw new UnknownAgentError(agent)
  const { toolUseId, blocks, usage, todos, description, status } = withLastText(found)
  // The session's title, model, cost and context are those of main.
  const { cwd, program, protocol, version } = state.session
  return {
    blocks: [...promptOf(found), ...blocks].map(inMain),
    usage,
    ...(todos && { todos }),
    turn: { status: isFinal(status) ? 'finished' : 'interrupted' },
    subagents: agentsBelow(state, toolUseId),
    session: {
      // Two agents of a session must not get one id.
      id: JSON.stringify([state.session.id, toolUseId]),
      ...(description !== undefined && { title: description }),
      ...(cwd !== undefined && { cwd }),
      ...(program !== undefined && { program }),
      ...(protocol !== undefined && { protocol }),
      ...(version !== undefined && { version }),
    },
  }
}

/** A stream may lack the prompt of an agent, but its call has it. */
function promptOf({ toolUseId, prompt, blocks }: SubagentState): readonly ConversationBlock[] {
  if (prompt === undefined || prompt === '' || showsPrompt(blocks, prompt)) return []
  const id = `${toolUseId}:prompt`
  return [{ type: 'user_message', id, status: 'complete', conversationId: MAIN, content: prompt }]
}

function inMain(block: ConversationBlock): ConversationBlock {
  return { ...block, conversationId: MAIN }
}

/** Returns the agents below another one, in the order of the session. */
function agentsBelow({ subagents }: SessionConversationState, top: string): readonly SubagentState[] {
  const children = new Map<string, SubagentState[]>()
  for (const each of subagents) addToList(children, each.parentConversationId ?? MAIN, each)
  const below = new Set<SubagentState>()
  const parents = [top]
  for (const parent of parents)
    for (const child of children.get(parent) ?? []) {
      if (below.has(child) || child.toolUseId === top) continue
      below.add(child)
      parents.push(child.toolUseId)
    }
  return subagents.flatMap((each) => (below.has(each) ? [ofParent(each, top)] : []))
}

function ofParent(agent: SubagentState, top: string): SubagentState {
  return agent.parentConversationId === top ? { ...agent, parentConversationId: MAIN } : agent
}
