import { isObject } from '../../core/json/values.ts'
import type { SessionFolder } from '../../programs/reader.ts'
import { sessionFolders } from '../../programs/readers.ts'
import { onlySession } from '../../reading/input/combined.ts'
import type { TranscriptFiles } from '../../reading/input/transcript-files.ts'
import type { TranscriptRules } from '../../reading/input/transcripts.ts'
import type { Format, SessionStorage } from '../format.ts'
import { isProofOfStream } from './routing/own-message.ts'
import { isAcpMessage } from './rpc.ts'

// Some programs store the messages of ACP. Each such program describes the folder of a session (`SessionFolder`).

const FOLDERS: readonly SessionFolder[] = /* @__PURE__ */ sessionFolders()

const PARTS = /[\\/]/

function folderOf(path: string): SessionFolder | undefined {
  const name = path.split(PARTS).at(-1)
  return FOLDERS.find(({ messages }) => name === messages)
}

/** Returns the path of a file in the folder of a path, or in one `up` above it, with the separator of that path. */
function beside(path: string, up: number, ...names: readonly string[]): string {
  const parts = path.split(PARTS)
  const above = Array.from({ length: Math.max(0, up + 1 - parts.length) }, () => '..')
  return [...above, ...parts.slice(0, -1 - up), ...names].join(path.includes('\\') ? '\\' : '/')
}

/** Returns the agent of a file with facts about it, and the path of the agent's own file. */
function agentOf(path: string): { readonly id: string; readonly path: string } | undefined {
  const [folderName, id, fileName] = path.split(PARTS).slice(-3)
  for (const { messages, agents } of FOLDERS)
    if (id !== undefined && folderName === agents[0] && fileName === agents[1])
      return { id, path: beside(path, 3, id, messages) }
  return undefined
}

/** Returns the main session's file, and those of the agents that its folder names. */
function transcripts(
  paths: readonly string[],
  _reader: unknown,
  sessionPath?: string,
): readonly [TranscriptFiles, ...TranscriptFiles[]] {
  const agents = paths.flatMap((path) => agentOf(path) ?? [])
  const sessions = paths.filter((path) => folderOf(path) !== undefined)
  const roots = sessions.filter((path) => agents.every((agent) => agent.path !== path))
  const main = sessionPath ?? onlySession(roots, "a session's own file")
  const own = agents.filter((agent) => agent.path !== main && sessions.includes(agent.path))
  return [{ path: main }, ...own.map(({ id, path }) => ({ id, path }))]
}

export const acpFiles: Format['files'] = {
  isSession: (path) => folderOf(path) !== undefined,
  isPart: (path) => folderOf(path) !== undefined || agentOf(path) !== undefined,
  agentFiles(path) {
    const folder = folderOf(path)
    return (
      folder && {
        folder: beside(path, 0, folder.agents[0]),
        isBeside: () => false,
        leadsTo: (part) => agentOf(part)?.path,
      }
    )
  },
  transcripts,
}

const acpStorage: SessionStorage = {
  factsPath(path) {
    const folder = folderOf(path)
    return folder && beside(path, 0, folder.facts)
  },
  // A message has an update or a response, and such a file has none.
  facts: (value) =>
    isObject(value) ? Object.assign({}, ...FOLDERS.map((folder) => folder.readFacts(value))) : {},
}

export const acpTranscripts: TranscriptRules = {
  timeOf: (message) => FOLDERS.flatMap((folder) => folder.timeOf(message) ?? [])[0],
}

/** The Agent Client Protocol: a log of a connection, or its updates. */
export const acpFormat: Format<'acp'> = {
  name: 'acp',
  inputs: 'ACP (a log of a connection, or the updates of any agent that speaks the Agent Client Protocol)',
  isMessage: (value) => isAcpMessage(value) || (isObject(value) && isProofOfStream(value)),
  isDocument: () => false,
  transcripts: acpTranscripts,
  files: acpFiles,
  storage: acpStorage,
}
