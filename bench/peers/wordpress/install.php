<?php
// Installs WordPress in its empty database, and prints an application password of its administrator.
define('WP_INSTALLING', true);
require getenv('WORDPRESS') . '/wp-load.php';
require ABSPATH . 'wp-admin/includes/upgrade.php';
wp_install('The bench', 'bench', 'bench@example.com', true, '', 'a password of the bench');
update_option('permalink_structure', '/%postname%/');
[$password] = WP_Application_Passwords::create_new_application_password(1, ['name' => 'bench']);
echo $password;
