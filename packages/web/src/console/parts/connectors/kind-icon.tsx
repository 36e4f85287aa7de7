/** An icon for each kind. */
import IconBrandTiktok from '@tabler/icons-react/icons/IconBrandTiktok'
import IconPhoneCall from '@tabler/icons-react/icons/IconPhoneCall'
import IconPlug from '@tabler/icons-react/icons/IconPlug'
import IconShoppingBag from '@tabler/icons-react/icons/IconShoppingBag'
import IconSnowflake from '@tabler/icons-react/icons/IconSnowflake'

/** Icons by slug; every other kind has the plug. */
const icons: Readonly<Record<string, typeof IconPlug>> = {
  gong: IconPhoneCall,
  shopify: IconShoppingBag,
  snowflake: IconSnowflake,
  'tiktok-marketing': IconBrandTiktok,
}

/** Draws the icon; the name of the kind stands beside it. @param props `kind`: slug */
export function KindIcon({ kind, size = 18 }: { readonly kind: string; readonly size?: number }) {
  const Shown = icons[kind] ?? IconPlug
  return <Shown size={size} stroke={1.75} aria-hidden="true" />
}
