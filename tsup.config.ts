import { defineConfig, type Options } from 'tsup'

const shared: Options = { target: 'es2022', sourcemap: true, splitting: true }

const config: Options[] = [
  {
    ...shared,
    entry: {
      index: 'src/index.ts',
      claude: 'src/sources/claude/index.ts',
      opencode: 'src/sources/opencode/index.ts',
    },
    format: ['esm', 'cjs'],
    dts: true,
  },
  { ...shared, entry: { cli: 'src/cli/main.ts' }, format: ['esm'], platform: 'node', dts: false },
]

export default defineConfig(config) as Options[]
