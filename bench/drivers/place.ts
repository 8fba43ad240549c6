/** What keeps the locks: a server, or files of the machine. */
export type System =
  | 'Redis'
  | 'PostgreSQL'
  | 'MySQL'
  | 'MariaDB'
  | 'files'
  | 'etcd'
  | 'ZooKeeper'
  | 'ZooKeeper, three'
  | 'memcached'

/** How to log in to a database. */
export interface Login {
  readonly user: string
  readonly password: string
  readonly database: string
}

/** Where the server is. */
export interface Place {
  readonly host: string
  readonly port: number
  /** All of an ensemble, as `host:port`. */
  readonly servers?: readonly string[]
  /** Absent: Redis. */
  readonly system?: System
  readonly login?: Login
  /** Where there is no server, but files: a folder for them. */
  readonly folder?: string
}
