import { Command } from 'commander'
import { billOf, type SessionBill } from '../../core/selectors/cost.ts'
import { findSubagent } from '../../core/selectors/find.ts'
import { addTokens, ownUsage, sumUsage, type TokenSum } from '../../core/selectors/usage.ts'
import { MAIN, type SessionConversationState } from '../../core/state/session.ts'
import { agentTypeOf } from '../../core/state/subagent.ts'
import type { Architecture } from '../../programs/program.ts'
import { formatCount } from '../../sinks/markdown/text/values.ts'
import { readPrices } from '../list/prices.ts'
import { keyText, partialCost } from '../list/summary-text.ts'
import { readPath } from '../read-path.ts'
import { findReference } from '../session-reference.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { oneLine, toJson } from '../terminal/text.ts'
import { type CommandMaker, formatOption, SESSION_ARGUMENT } from './command.ts'

interface CostOptions {
  readonly prices?: string
  readonly json?: true
  readonly format?: Architecture
}

/** `agentfold cost`. */
export const costCommand: CommandMaker = ({ terminal, execute }) =>
  new Command('cost')
    .summary('the tokens and the cost of a session, by agent and by agent type')
    .description(
      'Prints the tokens and the cost of a session: of main, of each agent, and of each agent type. Without ' +
        'prices, the cost is that of the whole session, as its program states it.',
    )
    .argument('<session>', SESSION_ARGUMENT)
    .option('--prices <file>', "LiteLLM's model_prices_and_context_window.json")
    .option('--json', 'print one JSON object per row')
    .addOption(formatOption())
    .addHelpText(
      'after',
      '\nexample:\n  agentfold cost 5059a859 --prices model_prices_and_context_window.json',
    )
    .action((name: string, options: CostOptions) => execute(() => printCost(name, options, terminal)))

/** The tokens and the cost of an agent, of an agent type, or of the session. */
interface CostRow {
  readonly kind: 'agent' | 'agent-type' | 'session'
  /** `'main'`, the `toolUseId` of the agent, or the type. Empty for agents without a type, and for the session. */
  readonly key: string
  readonly agentType?: string
  readonly tokens: TokenSum
  readonly isProvisional: boolean
  /** Absent if no part of it is known. */
  readonly costUsd?: number
  /** Whether some tokens are of models without a price, so that the cost lacks them. */
  readonly isPartial?: true
}

async function printCost(
  name: string,
  { prices, json, format }: CostOptions,
  terminal: Terminal,
): Promise<number> {
  const { path } = await findReference(name, terminal)
  const { state } = await readPath({ path, format }, terminal)
  const priceOf = prices === undefined ? undefined : await readPrices(prices)
  const cost = priceOf && billOf(state, priceOf)
  const agents = rowsOfAgents(state, cost)
  const hasTokens = agents.some(({ tokens }) => tokens.messages > 0)
  const { costUsd } = state.session
  const session = sessionRow(agents, costUsd)
  const rows = [...agents, ...rowsOfTypes(agents), session]
  if (json) for (const row of rows) terminal.write(`${toJson(row)}\n`)
  else for (const row of rows) terminal.write(`${textOf(row)}\n`)
  // A model with a price is unpriced too, where its input and output are one figure.
  const unpriced = cost?.unpriced.filter((model) => !priceOf?.(model)) ?? []
  if (unpriced.length > 0) terminal.writeError(`agentfold: no price for ${oneLine(unpriced.join(', '))}\n`)
  else if (session.costUsd === undefined && !hasTokens)
    terminal.writeError('agentfold: the program states no tokens\n')
  else if (!cost && costUsd === undefined)
    terminal.writeError('agentfold: the program states no cost, only tokens: use --prices\n')
  return 0
}

function rowsOfAgents(state: SessionConversationState, cost: SessionBill | undefined): readonly CostRow[] {
  const usdOf = new Map(cost?.conversations.map(({ conversationId, usd }) => [conversationId, usd]))
  const rowOf = (key: string, usage: SessionConversationState['usage'], agentType: string): CostRow => {
    const { final, provisional } = sumUsage(usage)
    const tokens = addTokens(final, provisional)
    const missing = cost?.unpricedMessages.get(key) ?? 0
    // A sum without parts is zero, and says nothing about tokens that no message states.
    const costUsd = missing < usage.length ? usdOf.get(key) : undefined
    return {
      ...{ kind: 'agent', key, agentType, tokens },
      isProvisional: provisional.messages > 0,
      ...(costUsd !== undefined && { costUsd }),
      ...(missing > 0 && { isPartial: true as const }),
    }
  }
  const agents = state.subagents.map((agent) => {
    const { toolUseId, usage, parentConversationId = MAIN } = agent
    const parent = findSubagent(state, parentConversationId) ?? state
    return rowOf(toolUseId, ownUsage(usage, parent.usage), agentTypeOf(agent))
  })
  return [rowOf(MAIN, state.usage, MAIN), ...agents]
}

function rowsOfTypes(agents: readonly CostRow[]): readonly CostRow[] {
  const byType = new Map<string, CostRow>()
  for (const agent of agents) {
    const key = agent.agentType ?? ''
    const known = byType.get(key)
    byType.set(key, known ? addRows(known, agent) : { ...withoutType(agent), kind: 'agent-type', key })
  }
  return [...byType.values()]
}

function withoutType({ agentType: _agentType, ...row }: CostRow): CostRow {
  return row
}

function addRows(left: CostRow, right: CostRow): CostRow {
  const known = left.costUsd ?? right.costUsd
  return {
    ...left,
    tokens: addTokens(left.tokens, right.tokens),
    isProvisional: left.isProvisional || right.isProvisional,
    ...(known !== undefined && { costUsd: (left.costUsd ?? 0) + (right.costUsd ?? 0) }),
    ...((left.isPartial ?? right.isPartial) && { isPartial: true as const }),
  }
}

/** A cost that the program states is that of the whole session. */
function sessionRow(agents: readonly CostRow[], costUsd: number | undefined): CostRow {
  const none: CostRow = { kind: 'session', key: '', tokens: { messages: 0 }, isProvisional: false }
  const { isPartial, ...sum } = agents.map(withoutType).reduce(addRows, none)
  const session: CostRow = { ...sum, kind: 'session', key: '' }
  if (costUsd !== undefined) return { ...session, costUsd }
  return isPartial ? { ...session, isPartial } : session
}

/** `~` marks figures that may still change. A count that no message states is `?`. */
function textOf({ kind, key, agentType, tokens, isProvisional, costUsd, isPartial }: CostRow): string {
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, unsplitTokens } = tokens
  const input = sumOf([inputTokens, cacheReadTokens, cacheWriteTokens])
  const mark = isProvisional ? '~' : ''
  const name = kind === 'session' ? '' : keyText(key)
  const type = kind === 'agent' && agentType !== MAIN ? oneLine(agentType ?? '') : ''
  const rest = unsplitTokens === undefined ? '' : `, ${formatCount(unsplitTokens)} in or out`
  const out = `${mark}${countText(outputTokens)} out${rest}`
  const cells = [kind, name, type, `${mark}${countText(input)} in`, out]
  return [...cells, partialCost(costUsd, isPartial === true)].join('\t')
}

function sumOf(counts: readonly (number | undefined)[]): number | undefined {
  const known = counts.filter((count) => count !== undefined)
  return known.length === 0 ? undefined : known.reduce((left, right) => left + right, 0)
}

function countText(count: number | undefined): string {
  return count === undefined ? '?' : formatCount(count)
}
