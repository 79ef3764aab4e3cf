import { piTranscript } from '../../src/entries/pi.ts'
import type { CombinedTranscript } from '../../src/entries/source-kit.ts'
import type { Facts } from '../facts/facts.ts'
import type { Files, FormsOf } from './recordings.ts'

/** Returns the session's files, the streams of its processes as one, and the connection. */
export const piForms: FormsOf = (files, { bash, ...stated }: PiFacts) => {
  const facts = bash ? { ...stated, personCommands: bash.map(personCommand) } : stated
  const architecture = 'pi' as const
  const streams = Object.keys(files).filter((path) => /^stream(?:-\d)?\.ndjson$/.test(path))
  const rpc = files['rpc.ndjson']
  const raw = streams.map((path) => files[path]).join('\n')
  return [
    { form: 'store', architecture, raw: storeOf(files, facts), facts: storedFacts(facts) },
    ...(streams.length > 0 ? [{ form: 'stream', architecture, raw, facts: liveFacts(facts) }] : []),
    ...(rpc === undefined ? [] : [{ form: 'rpc', architecture, raw: rpc, facts: liveFacts(facts) }]),
  ]
}

/** The facts name the commands of the person by other fields. */
interface PiFacts extends Facts {
  readonly bash?: readonly { readonly command: string; readonly exitCode: number }[]
}

function personCommand({ command, exitCode }: { readonly command: string; readonly exitCode: number }) {
  return { cmd: command, exitCode, contains: '' }
}

/** Returns the files of the session that has all prompts of the facts. A fork has its own file, with copies. */
function storeOf(files: Files, { agents }: Facts): CombinedTranscript {
  const stored = Object.keys(files).filter((path) => path.startsWith('store/') && path.endsWith('.jsonl'))
  const sessions = stored.filter((path) => /\/--[^/]*--\/[^/]*\.jsonl$/.test(path))
  const prompts = agents[0]?.items.flatMap((item) => (item.type === 'prompt' ? [item.text] : [])) ?? []
  const hasAll = (path: string) =>
    prompts.every((text) => files[path]?.includes(JSON.stringify(text).slice(1, -1)))
  const main = sessions.find(hasAll) ?? sessions[0] ?? ''
  const own = stored.filter((path) => path === main || path.startsWith(`${main.replace(/\.jsonl$/, '')}/`))
  return piTranscript(Object.fromEntries(own.map((path) => [path, files[path] ?? ''])))
}

/** A fork has the messages before its prompt. The turns that the person left are in the file of the other session. */
function storedFacts(facts: Facts): Facts {
  return facts.branches && facts.others ? lacking(facts, 'store', ['branches', 'branch-tokens']) : facts
}

/** No line of a stream shows that the person moves in the tree: all messages are there in the order of time. Only a fork has a request. */
function liveFacts(facts: Facts): Facts {
  if (!facts.branches || facts.others) return facts
  const words = ['branches', 'prompts', 'texts', 'calls']
  return lacking(lacking(facts, 'stream', words), 'rpc', words)
}

function lacking(facts: Facts, form: string, words: readonly string[]): Facts {
  const { lacks = [] } = facts.forms[form] ?? {}
  return { ...facts, forms: { ...facts.forms, [form]: { lacks: [...lacks, ...words] } } }
}
