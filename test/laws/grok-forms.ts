import { combineFiles } from '../../src/reading/input/transcript-files.ts'
import { acpFiles } from '../../src/wires/acp/format.ts'
import type { FactAgent, FactItem, Facts } from '../facts/facts.ts'
import { flatFacts } from './flat-facts.ts'
import { textsOf, withItems } from './kimi-forms.ts'
import type { Files, FormsOf } from './recordings.ts'

/** Returns the stored session, the log of the connections, and the lines of `streaming-json`. */
export const grokForms: FormsOf = (files, all) => {
  const facts = shownFacts(all)
  const rpc = textsOf(files, /^rpc(?:-\d)?\.ndjson$/)
  const stream = textsOf(files, /^stream(?:-\d)?\.ndjson$/)
  const isLacking = all.forms.stream?.lacks?.includes('everything') ?? false
  const form = (name: string, raw: string, own: Facts) =>
    raw === '' ? [] : [{ form: name, architecture: 'acp' as const, raw, facts: own }]
  return [
    ...storesOf(files, all).map((raw) => ({
      form: 'store',
      architecture: 'acp' as const,
      raw,
      facts: storedFacts(facts),
    })),
    ...form('rpc', rpc, facts),
    ...(isLacking ? [] : form('stream', stream, streamFacts(facts, stream))),
  ]
}

/** A copied agent has the prompt of its source, which the call does not state. A dropped text and its retry are one text. */
export function shownFacts({ agents, todos, changes, ...facts }: Facts): Facts {
  const abandoned = facts.branches?.flat() ?? []
  const shown = agents
    .filter(({ key }) => key !== 'origin')
    .map(({ prompt, tokens, items, ...agent }): FactAgent => {
      // One report of tokens is about all responses of a turn.
      const { requests: _, ...others } = tokens
      const facts = {
        ...agent,
        tokens: others,
        items: joined(items.filter((item) => !('text' in item && abandoned.includes(item.text)))),
      }
      return prompt === undefined || 'copyOf' in agent ? facts : { ...facts, prompt }
    })
  return {
    ...facts,
    agents: shown,
    ...(todos && { todos: todos.map(({ text }) => ({ text, status: 'completed' })) }),
    ...(changes && { changes: changes.filter((change) => !('by' in change)) }),
  }
}

function joined(items: readonly FactItem[]): readonly FactItem[] {
  return items.flatMap((item, at) => {
    const next = items[at + 1]
    const cut = item.type === 'cut' ? withSpace(item.text) : ''
    if (item.type === 'cut' && next?.type === 'text') return [{ ...next, text: `${cut}${next.text}` }]
    if (item.type === 'cut') return cut === '' ? [] : [{ ...item, text: cut }]
    // The report of an agent comes after the result that only says its id.
    if (item.type === 'result' && item.contains === 'subagent_id') return [{ ...item, contains: '' }]
    if (item.type === 'result' && item.isError)
      return [{ ...item, contains: item.contains.replace(/^Tool `spawn_subagent` failed: /, '') }]
    return items[at - 1]?.type === 'cut' && item.type === 'text' ? [] : [item]
  })
}

/** A piece ends with the space after a word. */
function withSpace(text: string): string {
  return text === '' || text.endsWith(' ') ? text : `${text} `
}

/** No file has the requests to the person. */
export function storedFacts(facts: Facts): Facts {
  return lacking(facts, 'store', ['requests'])
}

function lacking({ forms, ...facts }: Facts, form: string, words: readonly string[]): Facts {
  return { ...facts, forms: { ...forms, [form]: { lacks: [...(forms[form]?.lacks ?? []), ...words] } } }
}

/** The work of all agents is that of main. Agents that work at the same time mix their words, and their calls come as the stream has them. */
function streamFacts(facts: Facts, stream: string): Facts {
  const flat = flatFacts(withCallNames(withoutCopies(facts)), 'stream')
  if (!facts.agents.some((agent) => worksBeside(agent, facts))) return flat
  const place = (item: FactItem) =>
    item.type === 'call' ? stream.indexOf(`"tool_call","toolCallId":"${item.id}"`) : Number.NaN
  const [main, ...others] = flat.agents
  if (!main) return flat
  const groups = main.items.flatMap((item, at) => {
    const next = main.items[at + 1]
    return item.type === 'call'
      ? [{ at: place(item), items: next?.type === 'agent' ? [item, next] : [item] }]
      : []
  })
  const calls = groups.sort((left, right) => left.at - right.at).flatMap(({ items }) => items)
  const results = main.items.filter(({ type }) => type === 'result')
  const mixed = lacking(flat, 'stream', ['texts', 'thinking'])
  return { ...mixed, agents: [withItems(main, [...calls, ...results]), ...others] }
}

/** An agent that resumes another one begins with a copy of its work, which comes no second time. */
function withoutCopies(facts: Facts): Facts {
  const agents = facts.agents.map((agent) =>
    agent.parent === null || agent.copied === undefined
      ? agent
      : withItems(agent, agent.items.slice(agent.copied)),
  )
  return { ...facts, agents }
}

/** Only the call of an agent states its type. */
function withCallNames(facts: Facts): Facts {
  const inputs = new Map(
    facts.agents.flatMap(({ items }) =>
      items.flatMap((item, at) => {
        const call = items[at - 1]
        return item.type === 'agent' && call?.type === 'call' ? [[item.key, Object(call.input)] as const] : []
      }),
    ),
  )
  const agents = facts.agents.map(({ name, ...agent }): FactAgent => {
    const type = inputs.get(agent.key)?.subagent_type
    return typeof type === 'string' ? { ...agent, name: type } : agent
  })
  return { ...facts, agents }
}

/** Whether another agent, or the one that started it, works while the agent does. */
function worksBeside({ key, parent }: FactAgent, { agents }: Facts): boolean {
  if (parent === null) return false
  const items = agents.find((agent) => agent.key === parent)?.items ?? []
  const at = items.findIndex((item) => item.type === 'agent' && item.key === key)
  const call = items[at - 1]
  const isWaitedFor = call?.type === 'call' && Object(call.input).background === false
  const isAlone = items[at + 1]?.type === 'result' && items[at - 2]?.type !== 'agent'
  return !isWaitedFor || !isAlone
}

/** Returns the main sessions of the folder that have all prompts of the facts, the shortest one alone: a fork has them too, and more. */
function storesOf(files: Files, { agents }: Facts) {
  const paths = Object.keys(files).filter((path) => !path.startsWith('stored-at/') && acpFiles.isPart(path))
  const children = new Set(paths.flatMap((path) => /\/subagents\/([^/]+)\/meta\.json$/.exec(path)?.[1] ?? []))
  const roots = paths.filter(
    (path) => acpFiles.isSession(path) && !children.has(path.split('/').at(-2) ?? ''),
  )
  const main = agents.find(({ parent }) => parent === null)
  const prompts =
    main?.items.flatMap((item) => (item.type === 'prompt' ? [JSON.stringify(item.text)] : [])) ?? []
  return roots
    .map((root) => combineFiles(files, (_, reader) => acpFiles.transcripts(paths, reader, root)))
    .filter((session) => prompts.every((prompt) => session.main.includes(prompt)))
    .sort((left, right) => left.main.length - right.main.length)
    .slice(0, 1)
}
