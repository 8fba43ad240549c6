import process from 'node:process'

export type ProductName = 'PostgreSQL' | 'MariaDB' | 'MySQL'

/** The releases of databases that are tested beside those at hand: the oldest and the newest, as far as they can be had. */
export const databaseReleases = ['postgres-13', 'postgres-18', 'mariadb-11.8'] as const
export type DatabaseRelease = (typeof databaseReleases)[number]

/** The release of that product which the run is to test, if it is one of those. */
export function releaseOf(product: ProductName): string | undefined {
  const [name, release] = (process.env['HOLDFAST_DATABASE'] ?? '').split('-')
  return name === { PostgreSQL: 'postgres', MariaDB: 'mariadb', MySQL: 'mysql' }[product]
    ? release
    : undefined
}

/** A certificate for 127.0.0.1 that is its own authority, and its key, both in PEM. */
export interface Certificate {
  readonly key: string
  readonly cert: string
}

export interface CertificateFiles {
  readonly keyFile: string
  readonly certFile: string
}

/** A program, what must precede its arguments, and the environment it needs beside ours. */
export interface Program {
  readonly command: readonly [program: string, ...before: string[]]
  readonly environment?: Readonly<Record<string, string>>
}

export interface Installed {
  readonly from: string
  /** The folder of its data files, for programs that do not find it themselves. */
  readonly share?: string | undefined
  program(name: string): Program
  /** As whom they run, where this process is root and they refuse to be. */
  readonly identity?: { readonly uid: number; readonly gid: number } | undefined
}

export interface Place {
  readonly installed: Installed
  /** A folder that nothing else uses: data, socket, temporary files, output. */
  readonly dir: string
  readonly port: number
}

/** A program to be run with these arguments, and what it is to read, if anything. */
export interface Run {
  readonly program: Program
  readonly args: readonly string[]
  readonly input?: string
}

export interface SqlProduct {
  readonly name: ProductName
  /** Where the programs of that release are, or of whichever is at hand; or why they cannot be had. */
  find(release?: string): Promise<Installed | string>
  /** Makes the data folder of a new server: what to run, one after the other. */
  setup(place: Place): Promise<readonly Run[]>
  serve(place: Place, settings: Readonly<Record<string, string>>): Run
  /** The settings by which it refuses whoever comes by TCP without TLS. */
  secure(place: Place, certificate: CertificateFiles): Promise<Readonly<Record<string, string>>>
  /** Makes sure that it answers, and that its user and database are there. */
  prepare(place: Place): Promise<void>
}

/** Who may do everything on every server, and a database that is there. */
export const account = { user: 'holdfast', password: 'a password of tests', database: 'holdfast' } as const
