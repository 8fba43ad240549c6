import process from 'node:process'
import type { ProductName } from './product.js'

/** The releases of databases that are tested beside those at hand: the oldest and the newest, as far as they can be had. */
export const databaseReleases = ['postgres-13', 'postgres-18', 'mariadb-11.8'] as const
export type DatabaseRelease = (typeof databaseReleases)[number]

const products: Readonly<Record<ProductName, string>> = {
  PostgreSQL: 'postgres',
  MariaDB: 'mariadb',
  MySQL: 'mysql',
}

export function releaseOf(product: ProductName): string | undefined {
  const wanted = process.env['HOLDFAST_DATABASE'] ?? ''
  return wanted.startsWith(`${products[product]}-`) ? wanted.slice(products[product].length + 1) : undefined
}
