import { geminiTranscript } from '../../src/entries/gemini.ts'
import type { FactAgent, FactItem, Facts } from '../facts/facts.ts'
import type { Files, FormsOf } from './recordings.ts'

/** Returns the stream, the chats that each form has left, and the connection of ACP. */
export const geminiForms: FormsOf = (files, facts) => {
  const streams = Object.keys(files).filter((path) => /^stream(?:-\d)?\.ndjson$/.test(path))
  const raw = streams.map((path) => files[path]).join('')
  const stores = Object.keys(facts.forms).filter((form) => form.endsWith('store'))
  const acp = files['acp.ndjson']
  return [
    ...(streams.length === 0 ? [] : [{ form: 'stream', architecture: 'gemini' as const, raw }]),
    ...stores.map((form) => ({
      form,
      architecture: 'gemini' as const,
      raw: geminiTranscript(chatsIn(files, form)),
      facts: storedFacts(form, facts),
    })),
    ...(acp === undefined
      ? []
      : [{ form: 'acp', architecture: 'acp' as const, raw: acp, facts: factsOfConnection(facts) }]),
  ]
}

function chatsIn(files: Files, form: string): Files {
  const isOwn = (path: string) => path.startsWith(`${form}/`) && path.includes('/chats/')
  return Object.fromEntries(Object.entries(files).filter(([path]) => isOwn(path)))
}

/**
 * A chat has no trace of a permission that was given, and over ACP none of a refused one. Nothing shows how a turn ended either: a
 * request that failed and a call that was lost leave no line.
 */
function storedFacts(form: string, facts: Facts): Facts {
  const { requests, ending, ...rest } = withoutFlagged(facts, form, () => true)
  const stored = requests?.filter(
    ({ kind, answer }) => kind === 'question' || (form === 'tui-store' && answer === 'deny'),
  )
  const last = rest.agents.find(({ parent }) => parent === null)?.items.findLast(({ type }) => type !== 'cut')
  const shown = last?.type === 'text' ? 'finished' : 'interrupted'
  return { ...rest, ...(stored && { requests: stored }), ending: ending === 'finished' ? ending : shown }
}

/** The id of a call has the name of its tool. A request for a permission shows a call that was refused. */
function factsOfConnection(facts: Facts): Facts {
  const kept = withoutFlagged(facts, 'acp', (flag) => flag !== 'refused')
  const { lacks = [] } = facts.forms.acp ?? {}
  return { ...kept, forms: { ...kept.forms, acp: { lacks: lacks.filter((word) => word !== 'names') } } }
}

/** A form lacks only those calls of a name that have a flag. They, and the names of their agents, leave the facts. */
function withoutFlagged(facts: Facts, form: string, isGone: (flag: string) => boolean): Facts {
  const { lacksCalls = [], ...rest } = facts.forms[form] ?? {}
  const isLacking = (item: FactItem | undefined) =>
    item?.type === 'call' && item.flag !== undefined && lacksCalls.includes(item.name) && isGone(item.flag)
  const nameless = new Set(
    facts.agents.flatMap(({ items }) =>
      items.flatMap((item, at) => (item.type === 'agent' && isLacking(items[at - 1]) ? [item.key] : [])),
    ),
  )
  const agents = facts.agents.map(({ name, ...agent }): FactAgent => {
    const kept = agent.items.flatMap((item, at) =>
      isLacking(item.type === 'result' ? agent.items[item.call] : item) ? [] : [at],
    )
    const items = kept.flatMap((at): readonly FactItem[] => {
      const item = agent.items[at]
      if (item?.type === 'result') return [{ ...item, call: kept.indexOf(item.call) }]
      return item ? [item] : []
    })
    const isNamed = name !== undefined && !nameless.has(agent.key)
    return { ...agent, items, ...(isNamed && { name }) }
  })
  return { ...facts, agents, forms: { ...facts.forms, [form]: rest } }
}
