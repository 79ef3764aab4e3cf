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
export function metaPath(agentPath: string): string {
  return agentPath.replace(/\.jsonl$/, '.meta.json')
}

/** Returns the folder of a path with slashes, with its last one. */
export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1)
}
