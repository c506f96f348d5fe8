<?php
// In place of Debian's, which reads /etc/wordpress: the settings of the bench, from the environment of PHP.
define('DB_NAME', 'wordpress');
define('DB_USER', 'root');
define('DB_PASSWORD', '');
define('DB_HOST', 'localhost:' . getenv('DB_SOCKET'));
define('DB_CHARSET', 'utf8mb4');
define('DB_COLLATE', '');
define('WP_CONTENT_DIR', getenv('WP_CONTENT_DIR'));
define('WP_HOME', 'https://localhost');
define('WP_SITEURL', 'https://localhost');
// A timer of the system runs it in production, as WordPress's documentation says.
define('DISABLE_WP_CRON', true);
$table_prefix = 'wp_';
// Application passwords need TLS, which a proxy in front ends.
$_SERVER['HTTPS'] = 'on';
require_once ABSPATH . 'wp-settings.php';
