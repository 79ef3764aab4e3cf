import { omitUndefined } from '../../../core/json/fields.ts'
import { asArray, asObject, asString, isObject, type JsonObject } from '../../../core/json/values.ts'
import { memoizeWeakly } from '../../../core/selectors/memoize.ts'
import { withSlashes } from '../../../core/state/file-change.ts'
import { type CombinedTranscript, severalSessions, TranscriptError } from '../../../reading/input/combined.ts'
import {
  combineFiles,
  type FileReader,
  type TranscriptFiles,
} from '../../../reading/input/transcript-files.ts'
import { isProgramAgent } from '../routing/inline-agents.ts'

/**
 * Bundles a session's files, by path, into one transcript: `<session>.jsonl` and its subagents' `agent-<id>.jsonl`.
 * From 2.1.70 on, these are in the folder `<session>/subagents/`, each with a `.meta.json`. Before that, they are
 * beside the session's file. A fork begins with a copy of its session, so the fork wins if the files hold both.
 * Throws a `TranscriptError` if there is no session, or if there are several and none contains the others.
 */
export function claudeTranscript(files: Readonly<Record<string, string>>): CombinedTranscript {
  return combineFiles(files, claudeFiles)
}

/**
 * Returns the files of a session and of its subagents. If a fork is among the files, the agents of the session that
 * it copies belong to it too. Reads the beginnings of files alone, and the whole files of a fork. Throws a
 * `TranscriptError` if there are several sessions.
 */
export function claudeFiles(
  paths: readonly string[],
  reader: FileReader,
  sessionPath?: string,
): readonly [TranscriptFiles, ...TranscriptFiles[]] {
  const [main, ...copied] =
    sessionPath === undefined ? selectSessions(paths.filter(isSessionFile), reader) : [sessionPath]
  const known = new Set(paths)
  const runs = new WorkflowRuns(paths, reader)
  const agents = new Map<string, TranscriptFiles>()
  const others: AgentFile[] = []
  for (const path of paths) {
    const id = agentIdOfFile(path)
    if (id === undefined || isProgramAgent(id)) continue
    const factsPath = known.has(metaPath(path)) ? metaPath(path) : undefined
    const file = omitUndefined({ id, path, factsPath, facts: runs.factsOf(id, path) })
    if (belongsToAny([main, ...copied], path, reader)) agents.set(id, file)
    else others.push(file)
  }
  for (const file of copiedAgents(main, others, reader)) if (!agents.has(file.id)) agents.set(file.id, file)
  return [{ path: main }, ...agents.values()]
}

/** Returns the files that can be one session and its forks, the one with the whole conversation first. */
function selectSessions(paths: readonly string[], reader: FileReader): readonly [string, ...string[]] {
  const [only, ...more] = paths
  if (only === undefined)
    throw new TranscriptError('no-session', 'no session among the files: a .jsonl is needed')
  if (more.length === 0) return [only]
  const beginnings = new Map(paths.map((path) => [path, beginningOf(path, reader)]))
  // A file without uuids holds no part of a conversation.
  const sessions = paths.filter((path) => beginnings.get(path)?.size)
  const [first, ...others] = sessions
  if (first === undefined) return [paths.find((path) => hasValues(path, reader)) ?? only]
  if (others.length === 0) return [first]
  const isFork = others.every((path) => sharesAny(beginnings.get(first), beginnings.get(path)))
  const main = isFork ? longestOf(sessions, reader) : undefined
  if (main === undefined) throw severalSessions(sessions)
  return [main, ...sessions.filter((path) => path !== main)]
}

/** Returns the file that has the lines of all others; undefined if there is none. */
function longestOf(paths: readonly string[], reader: FileReader): string | undefined {
  const uuids = paths.map((path) => ({ path, own: uuidsOf(path, reader) }))
  const all = new Set(uuids.flatMap(({ own }) => [...own]))
  return uuids.find(({ own }) => own.size === all.size)?.path
}

function hasValues(path: string, reader: FileReader): boolean {
  for (const _ of reader.values(path)) return true
  return false
}

/**
 * All files in a session's folder belong to it. A file beside the session's file may belong to another one, which its
 * first whole line names.
 */
function belongsToAny(sessions: readonly string[], agentPath: string, reader: FileReader): boolean {
  const path = withSlashes(agentPath)
  const sessionPaths = sessions.map(withSlashes)
  if (sessionPaths.some((session) => path.startsWith(`${subagentFolder(session)}/`))) return true
  const neighbours = sessionPaths.filter((session) => folderOf(path) === folderOf(session))
  if (neighbours.length === 0) return false
  const sessionId = sessionIdIn(agentPath, reader)
  return sessionId !== undefined && neighbours.some((session) => session.endsWith(`${sessionId}.jsonl`))
}

function sessionIdIn(agentPath: string, reader: FileReader): string | undefined {
  // A broken line has no value.
  for (const first of reader.values(agentPath))
    if (first !== undefined) return isObject(first) ? asString(first.sessionId) : undefined
  return undefined
}

/** The facts that a meta file may hold. A running program adds others later, and they change nothing. */
const META_FACTS = [
  'agentType',
  'description',
  'inWorkflowRun',
  'name',
  'parentAgentId',
  'requestShape',
  'runId',
  'spawnDepth',
  'spawnedAgentType',
  'taskKind',
  'toolUseId',
  'workflowPhase',
]

/** Returns the message for an agent's meta file. */
export function agentMeta(agentId: string, facts: JsonObject): JsonObject {
  const meta = Object.fromEntries(Object.entries(facts).filter(([name]) => META_FACTS.includes(name)))
  return { type: 'agent_meta', agentId, meta }
}

/** The files of an agent. */
type AgentFile = TranscriptFiles & { readonly id: string }

/**
 * Returns the files of agents that stay in the folder of the session that a fork copies. The fork's lines name the
 * agent, its call or its run, and those of a copied agent name its children. The old session may have further agents.
 */
function copiedAgents(
  main: string,
  candidates: readonly AgentFile[],
  reader: FileReader,
): readonly AgentFile[] {
  const others = new Set(candidates.filter(({ path }) => /[\\/]subagents[\\/]/.test(path)))
  const copied: AgentFile[] = []
  const paths = others.size === 0 ? [] : [main]
  for (const path of paths) {
    const names = namesIn(path, reader)
    for (const file of others) {
      if (!namesOf(file, reader).some((name) => names.has(name))) continue
      others.delete(file)
      copied.push(file)
      paths.push(file.path)
    }
  }
  return copied
}

/** Returns the ids by which a line may name the agent. */
function namesOf({ id, factsPath, facts = {} }: AgentFile, reader: FileReader): readonly string[] {
  const { toolUseId } = asObject(factsPath === undefined ? undefined : reader.value(factsPath))
  return [id, asString(toolUseId), asString(facts.runId)].flatMap((name) => name ?? [])
}

/** Returns the ids of the calls in a file, and those of agents and runs in their results. */
function namesIn(path: string, reader: FileReader): ReadonlySet<string> {
  const names = new Set<string>()
  for (const value of reader.values(path))
    if (isObject(value)) for (const name of namedIn(value)) names.add(name)
  return names
}

function namedIn({ message, toolUseResult }: JsonObject): readonly string[] {
  const { agentId, runId } = asObject(toolUseResult)
  const calls = asArray(asObject(message).content).map((part) => asObject(part).id)
  return [agentId, runId, ...calls].flatMap((name) => asString(name) ?? [])
}

const AGENT_OF_RUN = /[\\/]workflows[\\/]([^\\/]+)[\\/]agent-[^\\/]+\.jsonl$/
const FILE_OF_RUN = /[\\/]workflows[\\/](?:([^\\/]+)\.json|([^\\/]+)[\\/]journal\.jsonl)$/

/** Whether the file states facts about the agents of a workflow's run: the file of the run, or the journal beside the agents. */
export function isFileOfRun(path: string): boolean {
  return FILE_OF_RUN.test(path)
}

/**
 * The runs of workflows of a session. `subagents/workflows/<run>/` has the agents of a run, and only the folder's
 * name says so. The agents' own meta files name label and phase from 2.1.332 on. Before that, `workflows/<run>.json`
 * does, which the program writes at the end of the run.
 */
class WorkflowRuns {
  readonly #paths: readonly string[]
  readonly #reader: FileReader
  readonly #agents = new Map<string, ReadonlyMap<string, JsonObject>>()

  constructor(paths: readonly string[], reader: FileReader) {
    this.#paths = paths
    this.#reader = reader
  }

  /** Returns the facts about the agent of a run; undefined for another agent. */
  factsOf(agentId: string, path: string): JsonObject | undefined {
    const runId = AGENT_OF_RUN.exec(path)?.[1]
    return runId === undefined ? undefined : { ...this.#agentsOf(runId).get(agentId), runId }
  }

  #agentsOf(runId: string): ReadonlyMap<string, JsonObject> {
    const known = this.#agents.get(runId)
    if (known) return known
    const files = this.#paths.filter((path) => {
      const [, ofFile, ofJournal] = FILE_OF_RUN.exec(path) ?? []
      return (ofFile ?? ofJournal) === runId
    })
    const agents = new Map(files.flatMap((path) => this.#agentsIn(path)))
    this.#agents.set(runId, agents)
    return agents
  }

  #agentsIn(path: string): readonly (readonly [string, JsonObject])[] {
    const entries = path.endsWith('.jsonl')
      ? [...this.#reader.values(path)]
      : asArray(asObject(this.#reader.value(path)).workflowProgress)
    return entries.flatMap((entry) => {
      const { agentId, label, phase, phaseTitle } = asObject(entry)
      const description = asString(label)
      if (typeof agentId !== 'string' || description === undefined) return []
      return [[agentId, omitUndefined({ description, workflowPhase: asString(phaseTitle ?? phase) })]]
    })
  }
}

/** A fork begins with a copy of its session. Some versions write lines of their own before the copy. */
const COMPARED_UUIDS = 20

/** Returns the first uuids in a session's file. */
function beginningOf(path: string, reader: FileReader): ReadonlySet<string> {
  return uuidsOf(path, reader, COMPARED_UUIDS)
}

/**
 * Returns the folders with the agents and workflows of the sessions that begin with the same lines. One of them may
 * be the session that this one copies: a fork leaves the files of copied agents where they are.
 */
export function foldersOfSameBeginning(path: string, reader: FileReader): readonly string[] {
  const folder = folderOf(withSlashes(path))
  const name = path.slice(folder.length)
  const { sessions, beginnings } = knownIn(reader.names(folder === '' ? '.' : folder))
  const others = sessions.filter((other) => `${other}.jsonl` !== name)
  const withAgents = others.filter((other) => reader.names(`${folder}${other}/subagents`).length > 0)
  if (withAgents.length === 0) return []
  const beginningAt = (session: string) => {
    const known = beginnings.get(session) ?? beginningOf(session, reader)
    beginnings.set(session, known)
    return known
  }
  const own = beginningAt(path)
  return withAgents
    .filter((other) => sharesAny(own, beginningAt(`${folder}${other}.jsonl`)))
    .flatMap((other) => [`${folder}${other}/subagents`, `${folder}${other}/workflows`])
}

/** The sessions that have a folder, and the beginnings of files by path. A reader that keeps the names of a folder keeps these, too. */
const knownIn = /* @__PURE__ */ memoizeWeakly((names: readonly string[]) => {
  const known = new Set(names)
  return {
    sessions: names.filter((name) => known.has(`${name}.jsonl`)),
    beginnings: new Map<string, ReadonlySet<string>>(),
  }
})

/** Whether a line of one beginning is in the other, too. */
function sharesAny(left: ReadonlySet<string> = new Set(), right: ReadonlySet<string> = new Set()): boolean {
  return [...right].some((uuid) => left.has(uuid))
}

/** Returns the first uuids in a file, or all of them. */
function uuidsOf(path: string, reader: FileReader, count = Number.POSITIVE_INFINITY): ReadonlySet<string> {
  const uuids = new Set<string>()
  for (const value of reader.values(path)) {
    const uuid = isObject(value) ? asString(value.uuid) : undefined
    if (uuid !== undefined) uuids.add(uuid)
    if (uuids.size >= count) break
  }
  return uuids
}

const AGENT_FILE = /(?:^|[\\/])agent-([^\\/]+)\.jsonl$/

/** Whether a file with that name can hold a session. The folders of its agents and workflows have further files. */
export function isSessionFile(path: string): boolean {
  return path.endsWith('.jsonl') && !isAgentFile(path) && !/(?:^|[\\/])subagents[\\/]/.test(path)
}

/** Whether the file's name is that of a subagent's file. */
export function isAgentFile(path: string): boolean {
  return AGENT_FILE.test(path)
}

/** Returns the id of the agent whose lines the file holds; undefined for another file. */
export function agentIdOfFile(path: string): string | undefined {
  return AGENT_FILE.exec(path)?.[1]
}

/** Returns the folder that holds the files of a session's subagents. */
export function subagentFolder(sessionPath: string): string {
  return `${sessionPath.replace(/\.jsonl$/, '')}/subagents`
}

/** Returns the folder with a file for each run of a workflow that has ended. */
export function workflowFolder(sessionPath: string): string {
  return `${sessionPath.replace(/\.jsonl$/, '')}/workflows`
}

/** Returns the path of the file with the facts about the agent. */
function metaPath(agentPath: string): string {
  return agentPath.replace(/\.jsonl$/, '.meta.json')
}

/** Returns the folder of a path with slashes, with its last one. */
function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1)
}
