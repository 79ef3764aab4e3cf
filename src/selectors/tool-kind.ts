/**
 * What a tool does, for views that show each kind in its own way:
 * - `command`: runs a command of the shell, or reads the output of one
 * - `read`: reads a file or a folder
 * - `edit`: writes, changes or removes files
 * - `search`: searches files, or for tools
 * - `web`: fetches a page, or searches the web
 * - `mcp`: a tool of an MCP server
 * - `agent`: talks to an agent, or waits for one; a call that starts an agent is a subagent block
 * - `plan`: changes the plan or its mode, or asks the person
 * - `other`: any other tool
 */
export type ToolKind = 'command' | 'read' | 'edit' | 'search' | 'web' | 'mcp' | 'agent' | 'plan' | 'other'

/** The names of the tools of all programs, in lower case and without separators. */
const NAMES: Readonly<Record<(typeof NAMED_KINDS)[number], readonly string[]>> = {
  command: [
    ...['bash', 'bashoutput', 'shell', 'localshell', 'exec', 'execcommand', 'writestdin', 'runcommand'],
    ...['powershell', 'killshell', 'killbash', 'execute', 'terminal', 'monitor', 'commandexecution'],
  ],
  read: [
    'read',
    'readfile',
    'notebookread',
    'ls',
    'list',
    'listdir',
    'viewimage',
    'imageview',
    'view',
    'readmcpresource',
  ],
  edit: [
    ...['edit', 'write', 'multiedit', 'notebookedit', 'patch', 'applypatch', 'writefile', 'createfile'],
    ...['strreplace', 'strreplacebasededittool', 'delete', 'move', 'filechange'],
  ],
  search: ['grep', 'glob', 'search', 'codesearch', 'toolsearch', 'find', 'lsp', 'grepfiles', 'searchfiles'],
  web: ['webfetch', 'websearch', 'fetch', 'webreader'],
  agent: [
    ...['sendmessage', 'taskoutput', 'taskstop', 'agentoutput', 'listagents'],
    ...['spawnagent', 'sendinput', 'closeagent', 'wait', 'waitagent', 'resumeagent'],
  ],
  plan: [
    ...['todowrite', 'todoread', 'taskcreate', 'taskupdate', 'tasklist', 'taskget', 'updateplan'],
    ...['enterplanmode', 'exitplanmode', 'planexit', 'planenter', 'askuserquestion', 'question'],
    'requestuserinput',
  ],
}

/** Returns the kind of a tool by its name in any program. */
export function toolKind(toolName: string): ToolKind {
  if (mcpTool(toolName)) return 'mcp'
  const name = toolName.replace(/[^A-Za-z]/g, '').toLowerCase()
  return NAMED_KINDS.find((kind) => NAMES[kind].includes(name)) ?? 'other'
}

const NAMED_KINDS = ['command', 'read', 'edit', 'search', 'web', 'agent', 'plan'] as const

/** The parts of the name of an MCP server's tool. */
interface McpTool {
  readonly server: string
  readonly tool: string
}

/** Returns the server and the tool of a name such as `mcp__github__create_issue`; undefined for another name. */
export function mcpTool(toolName: string): McpTool | undefined {
  const [, server = '', tool = ''] = /^mcp__(.+?)__(.+)$/s.exec(toolName) ?? []
  return server === '' ? undefined : { server, tool }
}
