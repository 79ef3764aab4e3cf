import { kimiTranscript } from '../../src/entries/kimi.ts'
import type { FactAgent, FactItem, Facts } from '../facts/facts.ts'
import type { Files, FormsOf } from './recordings.ts'

/** Returns the stored session, the lines of all processes, the server's events, and the connections of ACP: all of them, and a load alone. */
export const kimiForms: FormsOf = (files, all) => {
  const facts = ownFacts(all)
  const form = (name: string, raw: string | undefined, own: Facts = facts) =>
    raw === undefined || raw === ''
      ? []
      : [
          {
            form: name,
            architecture: ACP_FORMS.has(name) ? ('acp' as const) : ('kimi' as const),
            raw,
            facts: own,
          },
        ]
  return [
    ...storesOf(files, all).map((raw) => ({ form: 'store', architecture: 'kimi' as const, raw, facts })),
    ...form('stream', textsOf(files, /^stream(?:-\d)?\.ndjson$/), streamFacts(facts)),
    ...form('events', files['events.ndjson']),
    ...form('rpc', textsOf(files, /^rpc(?:-\d)?\.ndjson$/), acpFacts(facts, 'rpc')),
    ...form('load', facts.forms.load && files['rpc-2.ndjson'], acpFacts(facts, 'load')),
  ]
}

const ACP_FORMS: ReadonlySet<string> = new Set(['rpc', 'load'])

/** Returns the facts in the words of a session. Nothing reports what a command of the shell changes, and an item of a plan is `done` for Kimi Code. */
function ownFacts(all: Facts): Facts {
  const { todos, changes } = all
  return {
    ...all,
    agents: all.agents.map((agent) => withoutBranches(agent, all)),
    forms: Object.fromEntries(Object.entries(all.forms).map(([name, form]) => [name, withNested(form, all)])),
    ...(todos && {
      todos: todos.map((todo) => (todo.status === 'done' ? { ...todo, status: 'completed' } : todo)),
    }),
    ...(changes && { changes: changes.filter(({ by }) => by !== 'shell') }),
  }
}

/** A form without the work of agents lacks the agents that they start. */
function withNested(form: Facts['forms'][string], { agents }: Facts): Facts['forms'][string] {
  if (!form.lacks?.includes('children')) return form
  const main = agents.find(({ parent }) => parent === null)?.key
  const nested = agents.filter(({ parent }) => parent !== null && parent !== main)
  return { ...form, lacksAgents: [...(form.lacksAgents ?? []), ...nested.map(({ key }) => key)] }
}

/** The facts have all texts in the order of the requests. Those that the person took back are a branch. */
function withoutBranches(agent: FactAgent, { branches = [] }: Facts): FactAgent {
  const texts = new Set(agent.parent === null ? branches.flat() : [])
  const isKept = (item: FactItem) => !('text' in item && texts.has(item.text))
  return withItems(agent, agent.items.filter(isKept))
}

/** Returns the agent with some of its items. A result names the place of its call. */
export function withItems(agent: FactAgent, items: readonly FactItem[]): FactAgent {
  const placeOf = (call: number) => {
    const item = agent.items[call]
    return item ? items.indexOf(item) : -1
  }
  return {
    ...agent,
    items: items.map((item) => (item.type === 'result' ? { ...item, call: placeOf(item.call) } : item)),
  }
}

/** No line says that a turn has failed: the stream just ends. */
function streamFacts(facts: Facts): Facts {
  return facts.ending === 'failed' ? { ...facts, ending: 'interrupted' } : facts
}

/** The texts of requests that no call separates run together, and turns that no request of the client starts are not sent. */
function acpFacts(facts: Facts, form: string): Facts {
  const lacking = new Set(facts.forms[form]?.lacksTexts)
  return {
    ...facts,
    agents: facts.agents.map((agent) => {
      const items = agent.items.filter((item) => !('text' in item && lacking.has(item.text)))
      return withJoinedTexts(withItems(agent, items))
    }),
  }
}

/** Returns the agent with each cut text and the one of the repeated request as one. */
export function withJoinedTexts(agent: FactAgent): FactAgent {
  const joined = new Map<FactItem, string>()
  const items = agent.items.filter((item, at) => {
    const before = agent.items[at - 1]
    if (item.type !== 'text' || before?.type !== 'cut' || before.dropped) return true
    joined.set(before, `${before.text.trimEnd()} ${item.text}`)
    return false
  })
  const kept = withItems(agent, items)
  const textOf = (item: FactItem | undefined) => item && joined.get(item)
  return {
    ...kept,
    items: kept.items.map((item, at) => {
      const text = textOf(items[at])
      return text === undefined ? item : { type: 'text', text }
    }),
  }
}

/** Returns the texts of the files with such names, one after the other. */
export function textsOf(files: Files, name: RegExp): string {
  return Object.keys(files)
    .filter((path) => name.test(path))
    .sort()
    .map((path) => files[path])
    .join('\n')
}

/** Returns the session of the folder whose main agent has all prompts of the facts. A fork has them too, and more. */
function storesOf(files: Files, { agents }: Facts) {
  const main = agents.find(({ parent }) => parent === null)
  const prompts =
    main?.items.flatMap((item) => (item.type === 'prompt' ? [JSON.stringify(item.text)] : [])) ?? []
  const folders = new Set(
    Object.keys(files).flatMap((path) => /^(store\/.*)\/agents\/main\/wire\.jsonl$/.exec(path)?.[1] ?? []),
  )
  const sessions = Array.from(folders, (folder) =>
    kimiTranscript(
      Object.fromEntries(Object.entries(files).filter(([path]) => path.startsWith(`${folder}/`))),
    ),
  )
  return sessions
    .filter((session) => prompts.every((prompt) => session.main.includes(prompt)))
    .sort((left, right) => left.main.length - right.main.length)
    .slice(0, 1)
}
