import type { FactAgent, FactItem, Facts } from '../../test/facts/facts.ts'
import type { RecordedProgram } from './program.ts'
import { REFUSAL, reportOf, type Scenario, type ScriptedAgent, type ScriptedCall, stopOf } from './script.ts'
import type { Tokens } from './server/dialect.ts'
import type { LogEntry, LoggedCall } from './server/log.ts'
import { UNKNOWN_TOOL } from './tools.ts'

/** Facts of a recording, and the requests that belong to no block. */
export interface RecordingFacts extends Facts {
  readonly scenario: string
  readonly own: readonly { readonly purpose: string; readonly tokens: Tokens }[]
}

/** Returns what the script and the model's log say about a session. The program's files have no part in it. */
export function makeFacts(
  program: RecordedProgram,
  version: string,
  scenario: Scenario,
  written: readonly LogEntry[],
): RecordingFacts {
  const results = new Map(
    written.flatMap((entry) => entry.results.map(({ id, text }) => [id, text] as const)),
  )
  // A program that closes its connection early has read the reply if it runs its calls.
  const log = written.map((entry): LogEntry => {
    const isRead = entry.outcome === 'left' && entry.calls.some(({ id }) => results.has(id))
    return isRead ? { ...entry, outcome: 'whole', tokens: NO_TOKENS } : entry
  })
  const own = log.flatMap((entry) => (entry.own ? [{ purpose: entry.own, tokens: entry.tokens }] : []))
  const { changes } = scenario
  const agentsOf = (of: Scenario, entries: readonly LogEntry[]) =>
    startedAgents(of, entries).map((agent) => agentFacts(program, of, agent, entries, results))
  const { agents, ...parts } = withParts(program, scenario, log, agentsOf)
  const last = log.findLast(({ agent }) => agent === 'main')
  // A program that does not ask again after a cut has failed.
  const ending = last?.outcome === 'cut' ? 'failed' : scenario.ending
  return {
    program: program.factName,
    version,
    scenario: scenario.name,
    agents,
    ...parts,
    ending,
    ...(changes && { changes }),
    own,
    forms: program.forms(scenario),
  }
}

/** Returns the agents with what the person took back, and with the session before a fork. */
function withParts(
  { forksHaveTokens }: RecordedProgram,
  scenario: Scenario,
  log: readonly LogEntry[],
  agentsOf: (scenario: Scenario, log: readonly LogEntry[]) => readonly FactAgent[],
): Pick<Facts, 'agents' | 'branches' | 'sessions'> {
  const { runs, agents } = scenario
  const all = agentsOf(scenario, log)
  const [main, ...others] = all
  if (!main) return { agents: all }
  const placeOf = (prompt = '') =>
    main.items.findIndex((item) => item.type === 'prompt' && item.text === prompt)
  const fork = runs.find(({ forks }) => forks)
  if (fork) {
    const place = agents[0]?.steps.findIndex((step) => 'prompt' in step && step.prompt === fork.prompt) ?? 0
    const at = log.findIndex(({ agent, step = 0 }) => agent === 'main' && step > place)
    const before = { ...scenario, agents: agents.map((each) => upTo(each, place)) }
    const [own] = agentsOf(scenario, log.slice(at))
    const { tokens } = forksHaveTokens ? main : (own ?? main)
    const forked = { ...main, tokens, inherited: placeOf(fork.prompt) }
    return { agents: [forked, ...others], sessions: [{ agents: agentsOf(before, log.slice(0, at)) }] }
  }
  const undoing = runs.findIndex(({ undoes }) => undoes)
  if (undoing < 0) return { agents: all }
  const [from, to] = [placeOf(runs[undoing - 1]?.prompt), placeOf(runs[undoing]?.prompt)]
  const undone = main.items.slice(from, to)
  const later = main.items
    .slice(to)
    .map((item) => (item.type === 'result' ? { ...item, call: item.call - undone.length } : item))
  const lost = undone.flatMap((item) => (item.type === 'agent' ? [item.key] : []))
  const marked = others.map((agent) => (lost.includes(agent.key) ? { ...agent, abandoned: true } : agent))
  return {
    agents: [{ ...main, items: [...main.items.slice(0, from), ...later] }, ...marked],
    branches: [undone.flatMap((item) => (item.type === 'prompt' || item.type === 'text' ? [item.text] : []))],
  }
}

/** Returns main with its first steps, and any other agent as it is. */
function upTo(agent: ScriptedAgent, place: number): ScriptedAgent {
  return agent.parent === null ? { ...agent, steps: agent.steps.slice(0, place) } : agent
}

function agentFacts(
  program: RecordedProgram,
  scenario: Scenario,
  agent: ScriptedAgent,
  log: readonly LogEntry[],
  results: ReadonlyMap<string, string>,
): FactAgent {
  const { key, parent, status } = agent
  const prompt = promptOf(agent)
  const name = parent === null ? undefined : program.agentType
  return {
    key,
    parent,
    ...(name !== undefined && { name }),
    ...(prompt !== undefined && { prompt }),
    items: itemsOf(program, scenario, agent, log, results),
    ...(scenario.runs.some(({ isOtherModel }) => isOtherModel) && { models: modelsOf(key, log) }),
    status,
    tokens: tokensOf(program, scenario, agent, log),
  }
}

/** Returns main and the agents whose call the model has made. A turn that ends early, or goes on with the next prompt, leaves out others. */
function startedAgents({ agents }: Scenario, log: readonly LogEntry[]): readonly ScriptedAgent[] {
  const whole = log.filter(({ outcome }) => outcome === 'whole')
  const calls = whole.flatMap((entry) => entry.calls.map(({ scripted }) => scripted))
  const keys = new Set(calls.flatMap((call) => (call?.does === 'agent' ? [call.agent] : [])))
  return agents.filter(({ key, parent }) => parent === null || keys.has(key))
}

/** Returns what the agent was asked, and what the model answered, in order. */
function itemsOf(
  program: RecordedProgram,
  { agents, runs }: Scenario,
  { key, steps }: ScriptedAgent,
  log: readonly LogEntry[],
  results: ReadonlyMap<string, string>,
): readonly FactItem[] {
  const items: FactItem[] = []
  let place = 0
  const addPromptsUpTo = (end: number) => {
    for (const step of steps.slice(place, end))
      if ('prompt' in step) items.push(promptItem(step.prompt, runs))
    place = Math.max(place, end)
  }
  for (const entry of log) {
    if (entry.own === 'summary' && (entry.summaryOf ?? 'main') === key) items.push({ type: 'compaction' })
    if (entry.agent !== key) continue
    addPromptsUpTo(entry.step ?? 0)
    const isRepeated = log.some((other) => other.agent === key && other.number > entry.number)
    items.push(...textsOf(entry, isRepeated && program.keepsCutTexts !== true))
    addCalls(program, items, entry, agents, results)
  }
  addPromptsUpTo(steps.length)
  return items
}

function promptItem(text: string, runs: Scenario['runs']): FactItem {
  const hasPicture = runs.some((run) => run.prompt === text && run.hasPicture)
  return { type: 'prompt', text, ...(hasPicture && { pictures: 1 }) }
}

/** A text whose request comes again is void in most programs. */
function textsOf({ think, say, sent = '', outcome }: LogEntry, isVoid: boolean): readonly FactItem[] {
  if (outcome.startsWith('status') || (outcome === 'left' && sent === '')) return []
  const thinking: readonly FactItem[] = think === undefined ? [] : [{ type: 'thinking', text: think }]
  if (say === undefined) return thinking
  if (outcome === 'whole') return [...thinking, { type: 'text', text: say }]
  return [...thinking, { type: 'cut', text: sent, ...(outcome === 'cut' && isVoid && { dropped: true }) }]
}

/** Adds the calls of a reply, each with the agent that it starts, and then their results. */
function addCalls(
  program: RecordedProgram,
  items: FactItem[],
  { calls, outcome }: LogEntry,
  agents: readonly ScriptedAgent[],
  results: ReadonlyMap<string, string>,
): void {
  if (outcome !== 'whole') return
  const places = calls.map(({ id, name, input, scripted }) => {
    const isUnknown = name === UNKNOWN_TOOL
    items.push({ type: 'call', id, name, input, ...(isUnknown && { flag: 'unknown' }) })
    if (scripted?.does === 'agent')
      items.push({
        type: 'agent',
        key: startedAgent(scripted.agent, agents, results.get(id))?.key ?? scripted.agent,
      })
    return items.findLastIndex(({ type }) => type === 'call')
  })
  for (const [at, call] of calls.entries()) {
    const result = results.get(call.id)
    if (result === undefined) continue
    items.push({ type: 'result', call: places[at] ?? 0, ...resultOf(program, call, agents, result) })
  }
}

/** The server has seen the words of a result that no script foresees. */
function resultOf(
  program: RecordedProgram,
  { name, scripted }: LoggedCall,
  agents: readonly ScriptedAgent[],
  result: string,
) {
  if (name === UNKNOWN_TOOL) return { contains: '', isError: true }
  switch (scripted?.does) {
    case 'command':
      return { contains: shownWords(result, scripted.contains), isError: isError(program, scripted) }
    case 'read':
      return { contains: scripted.contains, isError: false }
    case 'agent': {
      const agent = startedAgent(scripted.agent, agents, result)
      // A call in the background has its result before the person stops the agent.
      if (scripted.background && agent?.status === 'interrupted') return firstWords(result)
      const words = agent ? wordsOfEnd(agent) : ''
      return {
        contains: shownWords(result, words),
        isError: agent !== undefined && agent.status !== 'success' && program.failedAgentsAreResults !== true,
      }
    }
    case 'look':
      return { contains: '[image]', isError: false }
    case 'tool':
      return { contains: scripted.contains, isError: scripted.fails }
    // The program words the mistake.
    case 'mistake':
      return { contains: '', isError: true }
    // The program words it. `changes` of the facts says what has changed.
    case 'write':
    case 'edit':
      return { contains: '', isError: false }
    default:
      return firstWords(result)
  }
}

function firstWords(result: string) {
  return { contains: result.slice(0, FIRST_WORDS), isError: false }
}

/**
 * Returns the agent that a call has started. Agents with one prompt ask in any order, so the report in the result shows which one it is.
 */
function startedAgent(
  key: string,
  agents: readonly ScriptedAgent[],
  result: string | undefined,
): ScriptedAgent | undefined {
  const scripted = agents.find((agent) => agent.key === key)
  const prompt = scripted && promptOf(scripted)
  const twins = agents.filter((agent) => promptOf(agent) === prompt)
  return twins.find((agent) => hasWords(result, reportOf(agent))) ?? scripted
}

/** A program words the failure of an agent. The server's own words are a part of it. If the agent was stopped, all words are the program's. */
function wordsOfEnd(agent: ScriptedAgent): string {
  if (agent.status === 'success') return reportOf(agent)
  return agent.status === 'error' ? REFUSAL : ''
}

/** Returns the words if the model saw them. Programs cut long outputs. */
function shownWords(result: string, words: string): string {
  return hasWords(result, words) ? words : result.slice(0, FIRST_WORDS)
}

/** Whether a result has the words. Some programs indent the lines of a report, or have it as JSON. */
function hasWords(result: string | undefined, words: string): boolean {
  const joined = (text: string) => text.replaceAll(/\s+/g, ' ')
  const forms = [words, JSON.stringify(words).slice(1, -1)]
  return result !== undefined && forms.some((form) => joined(result).includes(joined(form)))
}

function promptOf({ steps }: ScriptedAgent): string | undefined {
  const step = steps.find((each) => 'prompt' in each)
  return step && 'prompt' in step ? step.prompt : undefined
}

function isError(
  { exitsAreResults }: RecordedProgram,
  { fails }: Extract<ScriptedCall, { does: 'command' }>,
): boolean {
  return fails === 'refusal' || (fails === 'exit' && exitsAreResults !== true)
}

const FIRST_WORDS = 400

/** A reply states its tokens at its end. */
const NO_TOKENS: Tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 }

function tokensOf(
  program: RecordedProgram,
  scenario: Scenario,
  agent: ScriptedAgent,
  log: readonly LogEntry[],
) {
  const own = log
    .filter((entry) => entry.agent === agent.key)
    .flatMap((entry) => shownTokens(program, scenario, entry))
  const summaries = log.filter(
    (entry) =>
      (entry.summaryOf ?? 'main') === agent.key && entry.own === 'summary' && program.showsSummaryTokens,
  )
  const other = summaries.map(({ tokens }) => tokens)
  return { ...sumOf(program, own), ...(other.length > 0 && { other: sumOf(program, other) }) }
}

/** Returns the models of an agent's whole replies. */
function modelsOf(key: string, log: readonly LogEntry[]): readonly string[] {
  const own = log.filter(({ agent, outcome }) => agent === key && outcome === 'whole')
  return [...new Set(own.map(({ model }) => model))]
}

function shownTokens(
  { interruptedTokens }: RecordedProgram,
  scenario: Scenario,
  { outcome, tokens }: LogEntry,
): readonly Tokens[] {
  if (outcome === 'whole') return [tokens]
  return outcome === 'silent' && stopOf(scenario) === 'interrupt' && interruptedTokens
    ? [interruptedTokens(tokens)]
    : []
}

function sumOf({ tokens: counted = (each) => each }: RecordedProgram, all: readonly Tokens[]) {
  const sum = (name: keyof Tokens) => all.reduce((total, tokens) => total + counted(tokens)[name], 0)
  return {
    requests: all.length,
    input: sum('input'),
    output: sum('output'),
    cacheRead: sum('cacheRead'),
    reasoning: sum('reasoning'),
  }
}
