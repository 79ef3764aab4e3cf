import { readdirSync } from 'node:fs'
import type { Offer, ProgramCall, RecordedProgram } from '../program.ts'
import { programFile } from '../program-file.ts'
import { innerAgents, PICTURE_FILE, type Scenario, type ScriptedCall, stopOf } from '../script.ts'
import type { ModelRequest } from '../server/dialect.ts'
import { addingPatch, changingPatch, mistaken, UNKNOWN_TOOL } from '../tools.ts'

const VENDOR = 'vendor/x86_64-unknown-linux-musl'

/** Returns the program. */
export function codexFile(installed: string): string {
  const own = `@openai/codex-linux-x64/${VENDOR}`
  return programFile(
    installed,
    `${own}/bin/codex`,
    `${own}/codex/codex`,
    `@openai/codex/${VENDOR}/codex/codex`,
  )
}

/** Codex: `codex exec --json`. */
export const codex: RecordedProgram = {
  name: 'codex',
  factName: 'codex',
  packages: ['@openai/codex'],
  compactsBy: 'limit',
  tools: { call, wait },
  command: ({ installed, run, resumes, home }) => [
    codexFile(installed),
    ...['exec', '--json', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'],
    ...(run.isOtherModel ? ['-m', 'gpt-5.4'] : []),
    ...(resumes ? ['resume', firstThread(home)] : []),
    ...(run.hasPicture ? ['-i', PICTURE_FILE, '--'] : []),
    run.prompt,
  ],
  environment: ({ home }) => ({ CODEX_HOME: `${home}/.codex`, MODEL_KEY: 'none' }),
  homeFiles: ({ url, scenario }) => ({ '.codex/config.toml': configuration(url, scenario) }),
  stores: [['.codex/sessions', 'store/sessions']],
  forms: (scenario) => ({
    store: { lacks: ['cuts'] },
    // A line of a turn's end has all tokens of the session, also those of agents. An agent's own agent is not there.
    stream: {
      lacks: [
        'prompts',
        'cuts',
        'call-order',
        'child-contents',
        'models',
        'changes',
        stopOf(scenario) || scenario.ending === 'failed' ? 'tokens' : 'requests',
      ],
      lacksCalls: [UNKNOWN_TOOL, 'view_image'],
      lacksAgents: innerAgents(scenario),
    },
  }),
  showsSummaryTokens: true,
  forksHaveTokens: true,
  cannot: { refusal: '`codex exec` asks nobody' },
}

/** Returns the id of the first thread. The threads of its agents come later. */
function firstThread(home: string): string {
  const paths = readdirSync(`${home}/.codex/sessions`, { recursive: true, encoding: 'utf8' })
  const names = paths.flatMap((path) => /rollout-.+(?=\.jsonl$)/.exec(path) ?? [])
  // `rollout-<time>-<id>`
  return names.sort()[0]?.slice('rollout-2026-01-01T00-00-00-'.length) ?? ''
}

function configuration(url: string, { compactsAbove, hasTools }: Scenario): string {
  return `model = "gpt-5.5"
model_provider = "script"
model_reasoning_summary = "auto"
${compactsAbove === undefined ? '' : `model_auto_compact_token_limit = ${compactsAbove}\n`}
[model_providers.script]
name = "Script"
base_url = "${url}/v1"
env_key = "MODEL_KEY"
wire_api = "responses"
request_max_retries = 2
stream_max_retries = 2

[agents]
max_depth = 2
${hasTools ? `\n[mcp_servers.demo]\nurl = "${url}/mcp"\n` : ''}`
}

function call(scripted: ScriptedCall, { tools: offered, work }: Offer): ProgramCall {
  switch (scripted.does) {
    case 'command':
      return command(scripted.command, offered)
    case 'read':
      return command(`cat ${scripted.path}`, offered)
    case 'write':
      return patch(addingPatch(scripted.path, scripted.content))
    case 'edit':
      return patch(changingPatch(scripted.path, scripted.from, scripted.to))
    case 'look':
      return { name: 'view_image', input: { path: `${work}/${scripted.path}` } }
    case 'tool':
      return { name: scripted.tool, namespace: 'mcp__demo', input: { word: scripted.tool } }
    case 'mistake':
      return mistaken(scripted, command('', offered))
    case 'agent':
      return agentCall('spawn_agent', { message: scripted.prompt }, offered)
  }
}

/** Early versions have other tools for a command. */
function command(cmd: string, offered: readonly string[]): ProgramCall {
  if (offered.includes('shell')) return { name: 'shell', input: { command: ['bash', '-lc', cmd] } }
  if (offered.includes('shell_command')) return { name: 'shell_command', input: { command: cmd } }
  return { name: 'exec_command', input: { cmd } }
}

/** Returns a call of a tool for agents. In early versions, these tools stand beside the others. */
function agentCall(name: string, input: object, offered: readonly string[]): ProgramCall {
  return { name, input, ...(!offered.includes('spawn_agent') && { namespace: 'multi_agent_v1' }) }
}

function patch(input: string): ProgramCall {
  return { name: 'apply_patch', input, isText: true }
}

/** Returns the call that waits for the agents without a report. */
function wait(
  { results, tools: offered }: ModelRequest,
  reports: readonly string[],
): ProgramCall | undefined {
  const texts = results.map(({ text }) => text)
  if (reports.every((report) => texts.some((text) => text.includes(report)))) return undefined
  const ids = texts.flatMap((text) => /"agent_id":"([^"]+)"/.exec(text)?.[1] ?? [])
  const ended = texts.filter((text) => text.includes('"status":'))
  const targets = ids.filter((id) => !ended.some((text) => text.includes(id)))
  // Codex waits in vain for an agent that the person has stopped.
  if (targets.length === 0 || results.at(-1)?.text.includes('"timed_out":true')) return undefined
  const limit = { timeout_ms: 20_000 }
  return offered.includes('wait')
    ? agentCall('wait', { ids: targets, ...limit }, offered)
    : agentCall('wait_agent', { targets, ...limit }, offered)
}
