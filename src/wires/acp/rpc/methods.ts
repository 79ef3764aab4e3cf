/** The requests and notifications of the client. */
const OF_CLIENT: ReadonlySet<string> = new Set([
  'initialize',
  'authenticate',
  'logout',
  'auth/status',
  'providers/list',
  'providers/set',
  'providers/disable',
  'proxy/initialize',
  'session/new',
  'session/load',
  'session/resume',
  'session/fork',
  'session/prompt',
  'session/cancel',
  'session/list',
  'session/close',
  'session/delete',
  'session/archive',
  'session/unarchive',
  'session/status',
  'session/set_mode',
  'session/set_model',
  'session/set_config_option',
  'session/set_title',
])

/** The requests and notifications of the agent. */
const OF_AGENT: ReadonlySet<string> = new Set([
  'session/update',
  'session/request_permission',
  'elicitation/create',
  'elicitation/complete',
  'auth/status_update',
  'fs/read_text_file',
  'fs/write_text_file',
  'terminal/create',
  'terminal/output',
  'terminal/wait_for_exit',
  'terminal/kill',
  'terminal/release',
])

/** The requests and notifications of either side. */
const OF_BOTH: ReadonlySet<string> = new Set([
  '$/cancel_request',
  'mcp/connect',
  'mcp/disconnect',
  'mcp/message',
  'proxy/successor',
])

/** One of the two ends of the connection. */
export type Peer = 'client' | 'agent'

/** Returns the end that sends the method; undefined if either may. */
export function senderOf(method: string): Peer | undefined {
  if (OF_CLIENT.has(method)) return 'client'
  return OF_AGENT.has(method) ? 'agent' : undefined
}

/** Whether the method belongs to the protocol, or is an extension. Names of extensions begin with an underscore. */
export function isKnownMethod(method: string): boolean {
  return method.startsWith('_') || OF_BOTH.has(method) || senderOf(method) !== undefined
}
