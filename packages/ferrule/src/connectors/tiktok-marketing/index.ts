import { byDefault, connector, date, find, int, oneOf, oneOrMany, opt, secret, str } from '../../definition/index.ts'
import { advertisers, audiences, catalogs, promoted_post_ads } from './accounts.ts'
import { ad_groups, ads, campaigns, creative_assets_images, creative_assets_videos } from './campaigns.ts'
import { ad_groups_reports_daily, ads_reports_daily, advertisers_reports_daily, campaigns_reports_daily } from './reports.ts'
import { rules } from './rules.ts'

const appDetails = { menu: 'TikTok API for Business > My Apps' }
const appId = { says: 'TikTok lists the app id in the details of the developer app.', ...appDetails }
const advertiserId = str('Advertiser id', { pattern: '^\\d{1,20}$', says: 'must be an advertiser id: digits only' })

/** TikTok, API for Business (Marketing API) v1.3. */
export const tiktokMarketing = connector(
  {
    kind: 'tiktok-marketing',
    title: 'TikTok Marketing',
    category: 'advertising platform',
    about: 'Advertising: accounts, campaigns, ad groups, ads, audiences, creative assets, promoted posts, catalogs and daily reports',
    id: '4bfac00d-ce15-44ff-95b9-9e3c3e8fbd35',
    documentation: 'https://business-api.tiktok.com/portal/docs',
    origins: {
      api: {
        by: 'api_host',
        origins: { production: 'https://business-api.tiktok.com', sandbox: 'https://sandbox-ads.tiktok.com' },
      },
      oauth: 'https://business-api.tiktok.com',
    },
    credentials: {
      access_token: {
        title: 'Access token',
        fields: {
          access_token: find(
            { says: 'TikTok gives the token to a developer app for the consent of an advertiser.' },
            secret('Access token; it does not expire, and the advertiser can revoke it'),
          ),
          app_id: opt(
            find(appId, str('Id of the developer app: connectors with the same app share its budget of calls', { pattern: '^\\d{1,20}$' })),
          ),
        },
        send: { headers: { 'access-token': '{access_token}' } },
      },
      oauth: {
        title: 'OAuth 2.0',
        fields: {
          app_id: find(appId, str('Id of the developer app', { pattern: '^\\d{1,20}$' })),
          secret: find(
            { says: 'TikTok lists the secret in the details of the developer app.', ...appDetails },
            secret('Secret of the developer app'),
          ),
          auth_code: opt(
            find(
              { says: 'TikTok adds the code to the address that the browser returns to after the consent.' },
              secret('Code of the consent page; valid for one hour and for one exchange'),
            ),
          ),
          access_token: opt(
            find({ says: 'The exchange of the code fills it in; leave it out.' }, secret('Access token; got for the code')),
          ),
          advertiser_ids: opt(
            find(
              { says: 'The exchange of the code fills them in; leave them out.' },
              str('Advertisers that the consent covers, separated by commas; got for the code'),
            ),
          ),
        },
        send: { headers: { 'access-token': '{access_token}' } },
        exchange: {
          call: 'POST /open_api/v1.3/oauth2/access_token/',
          as: 'json',
          read: { access_token: 'data.access_token', advertiser_ids: 'data.advertiser_ids' },
          code: { constant: {}, send: { app_id: 'app_id', secret: 'secret' }, code: 'auth_code', field: 'auth_code' },
        },
        // The app's own settings at the vendor state the scopes, and the advertiser ticks them.
        consent: {
          page: 'GET /portal/auth',
          constant: {},
          send: { app_id: 'app_id' },
          oauthClient: ['app_id', 'secret'],
          who: 'The advertiser signs in to TikTok, ticks the ad accounts, and confirms with a code that TikTok sends.',
          code: ['auth_code', 'code'],
          accounts: {
            call: 'GET /open_api/v1.3/oauth2/advertiser/get/',
            send: { app_id: 'app_id', secret: 'secret' },
            at: 'data.list',
            id: 'advertiser_id',
            name: 'advertiser_name',
            configuration: 'advertiser_id',
          },
          revoke: {
            call: 'POST /open_api/v1.3/oauth2/revoke_token/',
            send: { app_id: 'app_id', secret: 'secret', access_token: 'access_token' },
            ended: ['40102', '40105'],
          },
        },
      },
    },
    configuration: {
      advertiser_id: opt(
        find(
          { says: 'A consent lists the ids with the names of the accounts; an id has digits only, such as 7012345678901234567.' },
          oneOrMany(advertiserId, 'Advertiser id, or several; calls that name no advertiser use them, and their records are copied', {
            maxItems: 100,
          }),
        ),
      ),
      start_date: opt(
        find({ says: 'You decide: the copy has no earlier reports.' }, byDefault('2016-09-01', date('First day of reports in the copy'))),
      ),
      attribution_window: opt(
        find(
          { says: 'Take the longest attribution window of your ad groups in days; TikTok begins with 7 days after a click.' },
          byDefault(
            7,
            int('Days after a click until which a conversion still changes the figures of its day: each sync reads them again', {
              minimum: 0,
              maximum: 364,
            }),
          ),
        ),
      ),
      api_host: opt(
        find(
          { says: "Choose sandbox only for tokens of TikTok's own sandbox accounts; the live host refuses them." },
          byDefault('production', oneOf("The vendor's live host, or the host of its own sandbox accounts", 'production', 'sandbox')),
        ),
      ),
    },
    known: { advertiser: { configuration: 'advertiser_id', credential: 'advertiser_ids' } },
    pages: {
      page_info: {
        shape: 'page_info',
        read: { page_info: 'data.page_info' },
        next: { meta: 'page_info', param: 'page', count: { page: 'page', last: 'total_page', size: 'page_size' } },
      },
    },
    problem: {
      message: ['message'],
      requestId: 'request_id',
      code: 'code',
      success: ['0'],
      partial: ['20001'],
      // The header reports a report without the ads beyond its first 20,000.
      warnings: ['x-tt-ads-throttle'],
    },
    errors: [
      { codes: ['40104', '40105', '40102', '40114', '40130'], is: 'upstream_auth_failed' },
      {
        codes: ['40101'],
        is: 'upstream_auth_failed',
        hint: 'Check the id and the secret of the developer app, then connect the account again.',
      },
      {
        codes: ['40103', '40107', '40108', '40109', '40110', '40113', '40115', '40116'],
        is: 'upstream_auth_failed',
        hint: 'Connect the account again: the code of the consent page is valid for one hour and one exchange.',
      },
      { codes: ['40106', '40119'], is: 'upstream_permission_denied', hint: 'Use a token that the advertiser granted.' },
      // The vendor's codes for missing permissions and for wrong parameters also stand for deleted objects.
      { codes: ['40001', '40002'], matches: '(do|does)( not|n.?t) exist or (has|have) been deleted', is: 'record_not_found' },
      { codes: ['40001', '40118', '40124', '40125'], is: 'upstream_permission_denied' },
      { codes: ['41000'], is: 'upstream_permission_denied', hint: 'TikTok does not serve the country that the request came from.' },
      { codes: ['40000', '40002'], is: 'upstream_invalid_request' },
      { codes: ['40011'], is: 'upstream_invalid_request', hint: 'Name fewer ids.' },
      { codes: ['40067'], is: 'upstream_invalid_request', hint: 'Ask for fewer days, dimensions or metrics.' },
      {
        codes: ['40006', '40010', '40051', '40117', '41001', '41002'],
        is: 'upstream_invalid_request',
        hint: 'The request itself is out of date: report it as a defect of the connector.',
      },
      { codes: ['40007', '40300', '40301'], is: 'record_not_found' },
      {
        codes: ['40008', '40009', '40013', '40014'],
        is: 'upstream_unsupported',
        hint: "TikTok's sandbox accounts do not offer this; use a live account with api_host production.",
      },
      // The vendor sends no wait with these codes. A full second is over at once; a full minute suspends the app for five.
      { codes: ['40016', '40100', '40132', '40133', '51021', '61000'], is: 'upstream_rate_limited', wait: { first: 1, longest: 300 } },
      { codes: ['40202'], is: 'upstream_conflict' },
      { codes: ['40050'], is: 'upstream_conflict', retryable: false },
      { codes: ['40200', '40201', '40700', '50000', '50002', '51305'], is: 'upstream_error' },
      // Timeouts within the vendor's services. A report of fewer days often succeeds where a long one ends in them.
      { codes: ['51001', '51039'], is: 'upstream_timeout', hint: 'Try again, or ask for fewer days, dimensions or metrics.' },
      {
        codes: ['60001'],
        is: 'upstream_error',
        wait: { first: 300, longest: 300 },
        hint: 'TikTok is under maintenance: try again in some minutes.',
      },
      { codes: ['40000-49999'], is: 'upstream_invalid_request' },
      { codes: ['50000-59999'], is: 'upstream_error' },
      // An answer without a code comes from a proxy before the API.
      { status: 401, is: 'upstream_auth_failed' },
      { status: 403, is: 'upstream_permission_denied' },
      {
        statuses: [404, 405],
        is: 'upstream_unsupported',
        hint: 'The path is not one of the vendor: report it as a defect of the connector.',
      },
      { status: 429, is: 'upstream_rate_limited', wait: { first: 1, longest: 300 } },
      { statuses: [400, 499], is: 'upstream_invalid_request' },
      { statuses: [500, 599], is: 'upstream_error' },
    ],
    /*
     * Basic level of a developer app: 10 calls a second and 600 a minute, all its tokens together. 5 % are left: calls arrive in
     * other seconds than they were sent in, and one too many in a minute suspends the app for five.
     */
    limits: {
      key: ['app_id', 'access_token'],
      rates: [
        { calls: 10, seconds: 1.05 },
        { calls: 570, seconds: 60 },
      ],
      other: {
        configuration: 'api_host',
        is: 'sandbox',
        rates: [
          { calls: 1, seconds: 1.05 },
          { calls: 28, seconds: 60 },
        ],
      },
    },
    account: { entity: 'advertisers', action: 'list', params: {}, id: 'advertiser_id', among: 'advertiser' },
    check: { entity: 'advertisers', action: 'list', params: {}, probe: 'GET /open_api/v1.3/user/info/' },
    entities: {
      advertisers,
      campaigns,
      ad_groups,
      ads,
      audiences,
      creative_assets_images,
      creative_assets_videos,
      promoted_post_ads,
      catalogs,
      advertisers_reports_daily,
      campaigns_reports_daily,
      ad_groups_reports_daily,
      ads_reports_daily,
    },
  },
  rules,
)
