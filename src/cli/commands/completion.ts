import { Argument, Command } from 'commander'
import type { Terminal } from '../terminal/terminal.ts'
import type { CommandMaker } from './command.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const

type Shell = (typeof SHELLS)[number]

/** `agentfold completion`. */
export const completionCommand: CommandMaker = (context) =>
  new Command('completion')
    .summary('print a script that completes commands and options in a shell')
    .description('Prints a script that completes the commands and options of agentfold in a shell.')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .addHelpText(
      'after',
      [
        '\nexamples:',
        '  source <(agentfold completion bash)',
        '  agentfold completion zsh > ~/.zfunc/_agentfold',
        '  agentfold completion fish > ~/.config/fish/completions/agentfold.fish',
      ].join('\n'),
    )
    .action((shell: Shell, _, command: Command) =>
      context.execute(async () => {
        const commands = command.parent?.commands.filter((each) => each.name() !== 'help') ?? []
        return print(SCRIPTS[shell](commands.map(completedCommand)), context.terminal)
      }),
    )

/** A command of the completion. */
interface CompletedCommand {
  readonly name: string
  readonly summary: string
  readonly options: readonly { readonly flag: string; readonly description: string }[]
}

function completedCommand(command: Command): CompletedCommand {
  const options = command.options.flatMap(({ long, description }) =>
    long ? [{ flag: long, description }] : [],
  )
  return {
    name: command.name(),
    summary: command.summary(),
    options: [...options, { flag: '--help', description: 'help' }],
  }
}

function print(script: string, terminal: Terminal): number {
  terminal.write(script)
  return 0
}

const SCRIPTS: Readonly<Record<Shell, (commands: readonly CompletedCommand[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
}

function bashScript(commands: readonly CompletedCommand[]): string {
  const cases = commands.map(
    ({ name, options }) => `    ${name}) words="${options.map(({ flag }) => flag).join(' ')}" ;;`,
  )
  return `_agentfold() {
  local word="\${COMP_WORDS[COMP_CWORD]}" words="${commands.map(({ name }) => name).join(' ')} --help --version"
  [ "$COMP_CWORD" -gt 1 ] && case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
  [ \${#COMPREPLY[@]} -eq 0 ] && COMPREPLY=($(compgen -f -- "$word"))
}
complete -o filenames -F _agentfold agentfold
`
}

function zshScript(commands: readonly CompletedCommand[]): string {
  const names = commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`)
  const cases = commands.map(
    ({ name, options }) => `      ${name}) _arguments ${options.map(zshOption).join(' ')} '*:file:_files' ;;`,
  )
  return `#compdef agentfold
_agentfold() {
  local -a commands=(
${names.join('\n')}
  )
  if (( CURRENT == 2 )); then _describe command commands
  else
    local command=\${words[2]}
    shift words
    (( CURRENT-- ))
    case $command in
${cases.join('\n')}
    esac
  fi
}
compdef _agentfold agentfold
`
}

function zshOption({ flag, description }: CompletedCommand['options'][number]): string {
  return quoted(`${flag}[${plain(description)}]`)
}

function fishScript(commands: readonly CompletedCommand[]): string {
  const lines = commands.flatMap(({ name, summary, options }) => [
    `complete -c agentfold -n __fish_use_subcommand -f -a ${name} -d ${quoted(summary)}`,
    ...options.map(
      ({ flag, description }) =>
        `complete -c agentfold -n '__fish_seen_subcommand_from ${name}' -l ${flag.slice(2)} -d ${quoted(description)}`,
    ),
  ])
  return `${lines.join('\n')}\n`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", '’')}'`
}

/** The brackets and colons of a description would end it in zsh. */
function plain(text: string): string {
  return text.replace(/[[\]]/g, '').replaceAll(':', ' –')
}
