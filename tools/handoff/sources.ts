/** The recordings that are handed over: six kinds of the programs that resume them, and others. */
export const SOURCES: readonly { readonly name: string; readonly path: string }[] = [
  ...kinds('Claude Code', {
    plain: 'claude-code/01-plain-text/transcript',
    tools: 'claude-code/03-tools/transcript',
    edits: 'claude-code-requests/06-edits/transcript',
    'one agent': 'claude-code/04-subagent-forward/transcript',
    'two agents': 'claude-code/06-nested-forward/transcript',
    compacted: 'claude-code/10-compact/transcript',
    images: 'claude-code/15-images/transcript',
    'stopped agent': 'laws/claude-code/one-stopped-background/store',
  }),
  ...kinds('Codex', {
    plain: 'codex/01-plain-text/sessions',
    tools: 'codex/03-commands/sessions',
    edits: 'codex/04-apply-patch/sessions',
    'one agent': 'codex/09-subagent-v1/sessions',
    'nested agents': 'codex/11-nested-v1/sessions',
    compacted: 'codex/19-compact/sessions',
  }),
  ...kinds('OpenCode', {
    plain: 'opencode/01-plain-text/export',
    tools: 'opencode/03-tools/export',
    edits: 'opencode-requests/07-edits/export',
    'one agent': 'opencode/04-subagent/export',
    'nested agents': 'opencode/06-nested/export',
    compacted: 'opencode/10-compact/export',
  }),
  ...kinds('Pi', {
    agents: 'pi/0.74-06-subagent/store',
    'failed agent': 'pi/10-subagent-fails/store',
    requests: 'pi/11-requests/store',
    branches: 'pi/15b-tree/store',
  }),
  ...kinds('Oh My Pi', { agent: 'pi/omp-06-subagent/store' }),
  ...kinds('Gemini CLI', { edits: 'gemini/04-edits/store', agent: 'gemini/06-subagent/store' }),
  ...kinds('Qwen Code', { agent: 'qwen/06-subagent/store', background: 'qwen/09-background/store' }),
  ...kinds('Copilot', { plan: 'copilot/05-todos/store', 'nested agents': 'copilot/08-nested/store' }),
  ...kinds('Kimi Code', {
    agent: 'kimi/06-subagent-0.43.1/store',
    swarm: 'kimi/23-swarm/store',
    image: 'laws/kimi/18-image/store',
  }),
  ...kinds('Grok Build', { tools: 'grok/03-tools/sessions', agent: 'grok/06-subagent/sessions' }),
]

function kinds(program: string, paths: Readonly<Record<string, string>>) {
  return Object.entries(paths).map(([kind, path]) => ({ name: `${program}: ${kind}`, path }))
}
